#!/usr/bin/env python3
"""Runs one program of the system tests and checks what its user sees: exit code, text, time, and that nothing stays.

The environment is what set_env.sh of the installed SDK and the operator's library folder give. Every run is bounded and
has a process group of its own; a process of it that is still there at the end is a failure. A run that is expected to
succeed must print nothing on standard error unless --err or --any-err says so.

check_run.py --system <folder of install_system.sh> [options] -- <program> [arguments]
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import time


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--system", required=True, help="what install_system.sh made")
    parser.add_argument("--exit", default="0", help="an exit code, 'nonzero', or a signal like SIGSEGV; default 0")
    parser.add_argument("--within", type=float, default=120, help="seconds until the run is killed; default 120")
    parser.add_argument("--env", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--out", action="append", default=[], metavar="REGEX", help="must match standard output")
    parser.add_argument("--err", action="append", default=[], metavar="REGEX", help="must match standard error")
    parser.add_argument("--once", action="append", default=[], metavar="REGEX",
                        help="must match standard error exactly once")
    parser.add_argument("--no-err", action="append", default=[], metavar="REGEX", help="must not match standard error")
    parser.add_argument("--any-err", action="store_true", help="a successful run may print on standard error")
    parser.add_argument("--stdout-is", metavar="TEXT", help="standard output, with \\n for line ends")
    parser.add_argument("--open-files", type=int, help="how many files the program may have open")
    parser.add_argument("command", nargs="+")
    return parser.parse_args()


def environment(arguments):
    system = os.path.abspath(arguments.system)
    sdk = os.path.join(system, "Ascend", "cann")
    result = {name: value for name, value in os.environ.items()
              if not name.startswith(("SOFTHCCL_", "HCCL_", "ASCEND_", "VENDOR")) or name == "SOFTHCCL_WORKERS"}
    paths = [os.path.join(sdk, "opp", "vendors", "cust", "lib64"), os.path.join(sdk, "lib64")]
    result["ASCEND_HOME_PATH"] = sdk
    result["LD_LIBRARY_PATH"] = ":".join(paths)
    result["PROBE_FOLDER"] = os.path.join(system, "probe")
    for setting in arguments.env:
        name, _, value = setting.partition("=")
        result[name] = value
    return result


def group_is_alive(group):
    try:
        os.killpg(group, 0)
        return True
    except ProcessLookupError:
        return False


def back_traces(pid):
    """Where a hanging process stands, if gdb is there."""
    try:
        shown = subprocess.run(["gdb", "-p", str(pid), "-batch", "-ex", "thread apply all bt 12"], text=True,
                               stdin=subprocess.DEVNULL, capture_output=True, timeout=60, check=False)
        return shown.stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"no back-traces: {error}\n"


def expected_exit(text):
    if text.startswith("SIG"):
        return lambda code: code == -getattr(signal, text)
    if text == "nonzero":
        return lambda code: code != 0
    return lambda code: code == int(text)


def limited(command, open_files):
    """The command, in a shell that lowers the limit first when there is one."""
    return command if open_files is None else ["bash", "-c", f'ulimit -n {open_files} && exec "$@"', "bash", *command]


def run(arguments):
    """Exit code, standard output, standard error, problems."""
    problems = []
    with subprocess.Popen(limited(arguments.command, arguments.open_files), env=environment(arguments), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                          start_new_session=True) as process:
        try:
            out, err = process.communicate(timeout=arguments.within)
        except subprocess.TimeoutExpired:
            problems.append(f"still running after {arguments.within:.0f} s")
            print(back_traces(process.pid), flush=True)
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
        deadline = time.monotonic() + 2
        while group_is_alive(process.pid) and time.monotonic() < deadline:
            time.sleep(0.02)
        if group_is_alive(process.pid):
            problems.append("left processes behind")
            os.killpg(process.pid, signal.SIGKILL)
        return process.returncode, out, err, problems


def check(arguments, code, out, err):
    problems = []
    if not expected_exit(arguments.exit)(code):
        problems.append(f"exit code {code}, expected {arguments.exit}")
    for text, name, patterns in ((out, "output", arguments.out), (err, "error", arguments.err)):
        problems += [f"standard {name} lacks /{pattern}/" for pattern in patterns if not re.search(pattern, text)]
    for pattern in arguments.once:
        count = len(re.findall(pattern, err))
        if count != 1:
            problems.append(f"standard error has /{pattern}/ {count} times, expected once")
    problems += [f"standard error has /{pattern}/" for pattern in arguments.no_err if re.search(pattern, err)]
    says_something = arguments.err or arguments.once or arguments.any_err
    if arguments.exit == "0" and err and not says_something:
        problems.append("standard error is not empty")
    if arguments.stdout_is is not None and out != arguments.stdout_is.replace("\\n", "\n"):
        problems.append(f"standard output is not {arguments.stdout_is!r}")
    return problems


def main():
    arguments = parse_arguments()
    start = time.monotonic()
    code, out, err, problems = run(arguments)
    problems += check(arguments, code, out, err)
    print(f"{out}{err}[{time.monotonic() - start:.1f} s, exit code {code}]")
    for problem in problems:
        print(f"check_run.py: FAILED: {problem}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
