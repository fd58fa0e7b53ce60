// node compiled.mjs FOLDER: under the CPython that the npm package pyodide brings, compiles every Python file there, a warning being an
// error, and looks for what they import from the standard library. Prints one JSON object.
import { loadPyodide } from "pyodide";

const python = await loadPyodide({ packages: [] });
python.mountNodeFS("/sources", process.argv[2]);
console.log(
  python.runPython(`
import ast, importlib, json, pathlib, sys, warnings

warnings.simplefilter("error")
wrong, files = [], sorted(pathlib.Path("/sources").rglob("*.py"))
imported = set()
for path in files:
    text = path.read_text("utf-8")
    try:
        compile(text, str(path), "exec")
    except (SyntaxError, Warning) as problem:
        wrong.append(f"{path}: {problem}")
        continue
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            imported |= {(alias.name, None) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            imported |= {(node.module, alias.name) for alias in node.names}
of_system = {"resource", "fcntl", "multiprocessing", "ssl", "termios", "tty"}  # not in WebAssembly, in whatever version
warnings.simplefilter("ignore")
for module, name in sorted(imported, key=str):
    top = module.partition(".")[0]
    if top == "__future__" or top in sys.stdlib_module_names and top not in of_system:
        try:
            found = importlib.import_module(module)
            if name is not None and not hasattr(found, name):
                importlib.import_module(f"{module}.{name}")
        except ImportError as problem:
            wrong.append(f"{module} {name}: {problem}")
json.dumps({"python": list(sys.version_info[:2]), "files": len(files), "imported": len(imported), "wrong": wrong})
`),
);
