"""The fabric in a browser: its map, what ports do now and did then, over HTTP on this machine."""
