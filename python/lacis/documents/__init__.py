"""What Lacis prints as JSON: one type for each document and each row of one, a file for each family of commands.

The types are the one definition: commands construct them, `schemas` makes the published JSON Schemas of them, and
`reference` the tables of `docs/reference/json.md`. The text below a field is its description in both. Python reads a
document with `msgspec.json.decode(text, type=lacis.documents.routes.RouteDocument)`.
"""
