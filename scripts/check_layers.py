#!/usr/bin/env python3
"""Fails on an include that goes up or sideways between the modules of src/.

The order is the architecture (docs/architecture.md): a module may include itself and any module below it, however far
below. `trace` sees `event` and `base` only; of the others, only api/lifecycle.cc may include it. Facade sources and the
operator examples include public headers only, as named below.
"""
import pathlib
import re
import sys

# Level of each module; equal numbers must not include each other.
LEVEL = {"base": 0, "event": 1, "package": 1, "signature": 2, "memory": 2, "exec": 3, "transport": 4, "bootstrap": 4, "engine": 5, "comm": 6,
         "api": 7}
OBSERVERS = {"trace": {"base", "event", "trace"}}
PUBLIC = {"acl", "hccl", "hcomm", "mmpa"}  # folders of include/ that no module has the name of
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')


def problems(root):
    source = root / "src"
    for path in sorted(source.rglob("*")):
        if path.suffix not in {".h", ".cc", ".c"}:
            continue
        module = path.relative_to(source).parts[0]
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            target = found.group(1).split("/")[0] if "/" in found.group(1) else module
            where = f"{path.relative_to(root)}:{number}: {found.group(1)}"
            if target in PUBLIC or (root / "include" / found.group(1)).exists():
                if module not in {"api", "csec"}:
                    yield f"{where}: public headers are for api only"
            elif module in OBSERVERS:
                if target not in OBSERVERS[module]:
                    yield f"{where}: {module} may include {', '.join(sorted(OBSERVERS[module]))} only"
            elif target in OBSERVERS:
                if path.relative_to(source).as_posix() not in {"api/lifecycle.cc"}:
                    yield f"{where}: only api/lifecycle.cc may include {target}"
            elif module == "csec":
                if target != module:
                    yield f"{where}: csec stands alone"
            elif target not in LEVEL:
                yield f"{where}: {target} is not a module"
            elif target != module and LEVEL[target] >= LEVEL[module]:
                yield f"{where}: {module} (level {LEVEL[module]}) must not include {target} (level {LEVEL[target]})"
    for path in sorted((root / "examples").rglob("*")):
        if path.suffix not in {".h", ".cc"}:
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = INCLUDE.match(line)
            if found and (root / "src" / found.group(1)).exists():
                yield f"{path.relative_to(root)}:{number}: {found.group(1)}: examples use the public interface only"


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent)
    found = list(problems(root))
    for problem in found:
        print(problem)
    print(f"layers: {len(found)} problem(s)" if found else "layers: every include goes down")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
