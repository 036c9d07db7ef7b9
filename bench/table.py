#!/usr/bin/env python3
"""Makes the table of bench/run.sh from the files of its rounds. A repetition counts as near or far when the placement
probe said the same before and after it; mixed ones are used only where there is nothing else, and never compared.
Rounds in which others used much of the machine are left out while there are better ones. Fails when a row is missing.
Usage: table.py <folder with ours.<n>, mpi.<n>, facts, exec and their .load files>"""
import json
import pathlib
import statistics
import sys

PLACES = {0: "mixed", 1: "near", 2: "far"}
BUSY = 0.2  # share of the machine that others may use in a round
KINDS = ("pair", "window", "rate")


def load_of(path):
    return float(path.with_name(path.name + ".load").read_text())


def usable(paths):
    quiet = [path for path in paths if load_of(path) <= BUSY]
    return quiet or paths


def operator_rows(path):
    """(case, bytes, window, ns per window, place, ns of one way) of the repetitions in a file of p2p_bench."""
    for run in json.loads(path.read_text())["benchmarks"]:
        if run.get("error_occurred"):
            sys.exit(f"table.py: {run['name']}: {run['error_message']}")
        if run["run_type"] == "iteration":
            name = run["name"].split("/")[0]
            # The framework divides the elapsed time by the iterations of all threads together.
            ns = run["real_time"] * run["threads"] * {"ns": 1, "us": 1e3, "ms": 1e6}[run["time_unit"]]
            yield name, int(run["bytes"]), int(run["window"]), ns, int(run["place"]), run["one_way_ns"]


def mpi_rows(path):
    for line in path.read_text().splitlines():
        row = json.loads(line)
        yield row["case"], row["bytes"], row["window"], row["ns"], row["place"], row["one_way_ns"]


def metric(kind, size, window, ns):
    if kind == "window":
        return size * window / ns  # GB/s
    return window / ns * 1e3 if kind == "rate" else ns / window / 1e3  # M/s, us


def collect(rows):
    """{(case, bytes): {place: [values]}}"""
    table = {}
    for case, size, window, ns, place, _ in rows:
        kind = case.split("_")[-1]
        table.setdefault((case, size), {}).setdefault(place, []).append(metric(kind, size, window, ns))
    for places in table.values():
        if len(places) > 1:
            places.pop(0, None)
    return table


def span(values):
    if not values:
        return "-"
    return f"{statistics.median(values):.3g} ({min(values):.3g}..{max(values):.3g}) ×{len(values)}"


def size_text(size):
    return f"{size >> 20} MiB" if size >= 1 << 20 else f"{size >> 10} KiB" if size >= 1 << 10 else f"{size} B"


def case_lines(title, ours, peers, case):
    kind = case.split("_")[-1]
    unit = {"pair": "µs", "window": "GB/s", "rate": "M/s"}[kind]
    for (name, size), places in ours.items():
        if name != case:
            continue
        peer = peers.get((kind, size), {})
        for place in sorted(set(places) | set(peer)):
            mine, other = places.get(place, []), peer.get(place, [])
            ratio = "-"
            if mine and other and place != 0:
                a, b = statistics.median(mine), statistics.median(other)
                ratio = f"{b / a if kind == 'pair' else a / b:.3g}"
            yield f"| {title} {size_text(size)}, {unit} | {PLACES[place]} | {span(mine)} | {span(other)} | {ratio} |"


def print_comparison(ours, peers):
    print("| measurement | cores | SoftHCCL: median (min..max) ×repetitions | OpenMPI | times better than OpenMPI |")
    print("| --- | --- | --- | --- | --- |")
    titles = {"operator_pair": "op pair", "operator_window": "windowed", "operator_rate": "message rate",
              "device_pair": "op pair, device part only"}
    for case, title in titles.items():
        for line in case_lines(title, ours, peers, case):
            print(line)


def print_scheduler(path):
    runs = {}
    for run in json.loads(path.read_text())["benchmarks"]:
        if run["run_type"] == "iteration":
            # One thread that never sleeps: its CPU time is its time, without that of others on the core.
            time = "real_time" if "manual_time" in run["name"] else "cpu_time"
            runs.setdefault(run["name"].split("/iterations")[0], []).append(run[time])
    print("\n| scheduler alone, one thread | ns: median (min..max) ×repetitions |\n| --- | --- |")
    for name, values in runs.items():
        print(f"| {name} | {span(values)} |")
    return runs


def missing_rows(ours, peers, facts, runs):
    expected = {("pair", size) for size in (0, 8, 256, 4096, 65536, 1 << 20)}
    expected |= {("window", size) for size in (4096, 65536, 1 << 20, 4 << 20, 16 << 20)} | {("rate", 8)}
    missing = [("operator_" + kind, size) for kind, size in expected if ("operator_" + kind, size) not in ours]
    missing += [("device_pair", size) for kind, size in expected if kind == "pair" and ("device_pair", size) not in ours]
    if peers is not None:
        missing += [("OpenMPI " + kind, size) for kind, size in expected if (kind, size) not in peers]
    names = {fact["fact"] for fact in facts}
    missing += [name for name in ("idle_cpu_7_ranks_waiting", "emit_share_of_device_pair",
                                  "kernel_start_from_sleep_median") if name not in names]
    wanted = ("RingOfStreams/2", "NotifyRecordTake", "SubmitDrain/1", "EmitOff", "EmitOn")
    return missing + [name for name in wanted if name not in runs]


def main():
    folder = pathlib.Path(sys.argv[1])
    ours_files = sorted(path for path in folder.glob("ours.*") if path.suffix != ".load")
    mpi_files = sorted(path for path in folder.glob("mpi.*") if path.suffix != ".load")
    our_rows = [row for path in usable(ours_files) for row in operator_rows(path)]
    peer_rows = [row for path in usable(mpi_files) for row in mpi_rows(path)]
    ours = collect(our_rows)
    peers = collect(peer_rows) if mpi_files else None
    one_way = [row[-1] for row in our_rows + peer_rows]
    loads = [load_of(path) for path in ours_files + mpi_files]
    print(f"{len(ours_files)} rounds; used: {len(usable(ours_files))} of SoftHCCL, {len(usable(mpi_files))} of OpenMPI. "
          f"Others used {100 * statistics.median(loads):.0f} % of the machine (at most {100 * max(loads):.0f} %).\n"
          f"One way between the cores: {statistics.median(one_way):.0f} ns ({min(one_way):.0f}..{max(one_way):.0f}).\n")
    print_comparison(ours, peers or {})
    runs = print_scheduler(folder / "exec")
    facts = [json.loads(line) for line in (folder / "facts").read_text().splitlines()]
    print("\n| figure | value |\n| --- | --- |")
    for fact in facts:
        print(f"| {fact['fact']} | {fact['value']:.4g} {fact['unit']} |")
    missing = missing_rows(ours, peers, facts, runs)
    if missing:
        sys.exit(f"table.py: rows are missing: {missing}")


if __name__ == "__main__":
    main()
