#!/usr/bin/env python3
"""Every hostile package of hostile_packages.py, installed as the package of an operator that a program then loads: the
program fails, one line names the file and the reason, no byte of home, SDK and TMPDIR has changed, and nothing of the
package was executed. Also a .run file whose payload was altered.

hostile_test.py <folder of install_system.sh>
"""
import hashlib
import os
import re
import shutil
import stat
import subprocess
import sys
import tempfile
import time

import hostile_packages

HERE = os.path.dirname(os.path.abspath(__file__))
# Files above this size are holes; reading them says nothing.
HASH_LIMIT = 64 << 20


def listing(folder):
    """Of every entry: kind, mode, size, time of change and, for files, the sha256."""
    found = {}
    for parent, folders, files in os.walk(folder):
        for name in folders + files:
            path = os.path.join(parent, name)
            info = os.lstat(path)
            digest = ""
            if stat.S_ISREG(info.st_mode) and info.st_size <= HASH_LIMIT:
                with open(path, "rb") as file:
                    digest = hashlib.sha256(file.read()).hexdigest()
            found[path] = (info.st_mode, info.st_size, info.st_mtime_ns, digest)
    return found


def changes(before, after):
    return sorted(path for path in before.keys() | after.keys() if before.get(path) != after.get(path))


class Machine:
    """An SDK, a home and a TMPDIR that belong to this test alone."""

    def __init__(self, system, work):
        self.work = work
        self.sdk = os.path.join(work, "Ascend", "cann-9.2.0")
        shutil.copytree(os.path.join(system, "Ascend", "cann-9.2.0"), self.sdk, symlinks=True,
                        ignore=shutil.ignore_patterns("vendors", "third_party"))
        for folder in ("home", "tmp", "run"):
            os.mkdir(os.path.join(work, folder))
        vendor = os.path.join(self.sdk, "opp", "vendors", "marker", "aicpu")
        self.package = os.path.join(vendor, "kernel", "aicpu_marker.tar.gz")
        self.description = os.path.join(vendor, "config", "libmarker_kernel.json")
        for path in (self.package, self.description):
            os.makedirs(os.path.dirname(path))
        with open(os.path.join(self.sdk, "conf", "ascend_package_load.ini"), "w", encoding="utf-8") as file:
            file.write("name:aicpu_marker.tar.gz\ninstall_path:2\noptional:true\n"
                       "package_path:opp/vendors/marker/aicpu/kernel\n")
        self.marker = os.path.join(work, "run", "marker")
        self.program = os.path.join(work, "run", "device_program")
        self.environment = {
            "PATH": os.environ["PATH"], "HOME": os.path.join(work, "home"), "TMPDIR": os.path.join(work, "tmp"),
            "ASCEND_HOME_PATH": self.sdk, "LD_LIBRARY_PATH": os.path.join(self.sdk, "lib64"), "MARKER": self.marker}

    def build(self):
        """The program, and the bytes of the library."""
        library = os.path.join(self.work, "run", hostile_packages.LIBRARY)
        flags = os.environ.get("CXXFLAGS", "").split()
        subprocess.run(["g++", "-std=c++14", "-fPIC", "-shared", os.path.join(HERE, "marker_kernel.cc"), "-o", library],
                       check=True)
        subprocess.run(["g++", "-std=c++14", "-pthread", *flags, "-isystem", os.path.join(self.sdk, "include"),
                        os.path.join(HERE, "device_program.cc"), "-o", self.program,
                        "-L" + os.path.join(self.sdk, "lib64"),
                        "-Wl,-rpath-link," + os.path.join(self.sdk, "lib64"), "-lacl_rt"], check=True)
        with open(library, "rb") as file:
            return file.read()

    def put_description(self, content):
        with open(self.description, "wb") as file:
            if isinstance(content, int):
                file.truncate(content)
            else:
                file.write(content)

    def put_package(self, content):
        with open(self.package, "wb") as file:
            file.write(content)

    def state(self):
        return listing(self.work)

    def execute(self, command):
        return subprocess.run(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", timeout=60, check=False)

    def load(self):
        return self.execute([self.program, "load", self.description, "Marker"])


def complaints(result, file, reason, changed):
    """What is wrong with a run that should have refused `file` for `reason`."""
    found = []
    if result.returncode not in (1, 2):
        found.append(f"exit code {result.returncode}")
    lines = result.stdout.splitlines()
    if len(lines) != 1:
        found.append(f"{len(lines)} lines instead of one")
    elif os.path.basename(file) not in lines[0] or reason not in lines[0]:
        found.append(f"the line does not name {os.path.basename(file)} and '{reason}'")
    elif len(lines[0]) > 1000:
        found.append(f"a line of {len(lines[0])} characters")
    found += [f"changed: {path}" for path in changed]
    return found


def check_good(machine, before):
    """What all others are compared with: this one runs, and leaves its mark."""
    result = machine.load()
    found = [] if result.returncode == 0 and not result.stdout else [f"exit code {result.returncode}"]
    if changes(before, machine.state()) != [os.path.dirname(machine.marker), machine.marker]:
        found.append("the good package did not leave its mark, and that alone")
    os.remove(machine.marker)
    return result, found


def altered_run(system, work):
    """The .run file of the operator with one bit of its payload turned."""
    name = f"cann-hccl_custom_p2p_linux-{os.uname().machine}.run"
    with open(os.path.join(system, "checkout", "build_out", name), "rb") as file:
        content = bytearray(file.read())
    content[-1000] ^= 1
    path = os.path.join(work, "run", name)
    with open(path, "wb") as file:
        file.write(content)
    os.chmod(path, 0o755)
    return path


def cases(machine, library, system):
    """Name, a function that installs the case, the file that must be named, the reason, and a function that loads it."""
    good_package = hostile_packages.good(library)
    with open(os.path.join(HERE, "libmarker_kernel.json"), "rb") as file:
        good_description = file.read()

    def install(package, description):
        machine.put_package(package)
        machine.put_description(description)

    yield "good", lambda: install(good_package, good_description), None, "", machine.load
    for name, (make, reason) in hostile_packages.packages(machine.environment["TMPDIR"]).items():
        yield name, lambda make=make: install(make(library), good_description), machine.package, reason, machine.load
    for name, (content, reason) in hostile_packages.descriptions(machine.environment["TMPDIR"]).items():
        yield (name, lambda content=content: install(good_package, content), machine.description, reason,
               machine.load)
    run = altered_run(system, machine.work)
    yield ("altered_run", lambda: install(good_package, good_description), run, "damaged",
           lambda: machine.execute([run, "--install", "--install-path=" + machine.sdk]))


def main():
    system = os.path.abspath(sys.argv[1])
    failed = 0
    with tempfile.TemporaryDirectory() as work:
        machine = Machine(system, work)
        library = machine.build()
        for name, install, file, reason, load in cases(machine, library, system):
            start = time.monotonic()
            install()
            before = machine.state()
            if file is None:
                result, found = check_good(machine, before)
            else:
                result = load()
                found = complaints(result, file, reason, changes(before, machine.state()))
            shown = re.sub(re.escape(work), "<work>", result.stdout.strip())
            print(f"{name} [{time.monotonic() - start:.1f} s]: {shown}")
            for complaint in found:
                print(f"hostile_test.py: FAILED: {name}: {complaint}")
            failed += len(found)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
