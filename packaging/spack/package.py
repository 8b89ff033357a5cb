"""Spack's package `py-lacis`: copy the folder into a repository as `packages/py_lacis`."""

from spack.package import *


class PyLacis(PythonPackage):
    """A fabric engineer's workbench for HPC and AI interconnects."""

    homepage = "https://git.lacis.example/lacis"
    git = "https://git.lacis.example/lacis"

    license("Apache-2.0 OR MIT", checked_by="the Lacis developers")

    version("main", branch="main")
    version("0.1.0", tag="v0.1.0")

    variant("figures", default=False, description="Pictures of measurements")
    variant("results", default=False, description="Measurements: kept, compared, explained")
    variant("screens", default=False, description="Live views on a terminal and in a browser")

    depends_on("c", type="build")
    depends_on("rust@1.88:", type="build")
    depends_on("python@3.11:", type=("build", "run"))
    depends_on("py-maturin@1.9:1", type="build")
    with default_args(type=("build", "run")):
        depends_on("py-backports-zstd@1.0:", when="^python@:3.13")
        depends_on("py-click@8.2:")
        depends_on("py-clustershell@1.9:")
        depends_on("py-jinja2@3.1:")
        depends_on("py-msgspec@0.19:")
        depends_on("py-numpy@2.0:")
        depends_on("py-rich@14:")
        depends_on("py-matplotlib@3.9:", when="+figures")
        depends_on("py-polars@1.33:", when="+results")
        depends_on("py-starlette@0.46:", when="+screens")
        depends_on("py-textual@6:", when="+screens")
        depends_on("py-uvicorn@0.34:", when="+screens")

    @run_after("install")
    @on_package_attributes(run_tests=True)
    def report(self):
        """The main job, with what was just installed."""
        with working_dir(self.stage.path):
            Executable(self.prefix.bin.lacis)("report", "fat-tree:8,2", "-o", "report.html")
