#!/usr/bin/python3
"""`make lint`: every row of CHECKS reads the tree and answers what is wrong with it; nothing wrong, status 0.

    tests/lint.py [CHECK]...      without arguments: all
"""

import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = ROOT / os.environ.get("BUILD", "build")
CORES = os.cpu_count() or 2
ROOMS = ("lib", "api", "server")


def tracked(*patterns):
    """Files of the repository (those about to be added too), by git's patterns."""
    text = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "--", *patterns], cwd=ROOT, check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    return [path for path in sorted(set(text.splitlines())) if (ROOT / path).is_file()]


def read(path):
    return (ROOT / path).read_text(errors="replace")


def call(command):
    """What a tool says, or nothing when its status is 0."""
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return [] if done.returncode == 0 else [done.stdout.strip() or f"{command[0]}: status {done.returncode}"]


def in_parallel(command, files):
    """The tool over every file, as many at a time as there are cores."""
    with concurrent.futures.ThreadPoolExecutor(CORES) as pool:
        return [line for lines in pool.map(lambda path: call(command(path)), files) for line in lines]


def found(pattern, files, flags=0):
    """`file:line: text` wherever the pattern occurs."""
    expression = re.compile(pattern, flags)
    return [f"{path}:{number}: {line.strip()[:160]}" for path in files
            for number, line in enumerate(read(path).splitlines(), 1) if expression.search(line)]


def code():
    return tracked("*.c", "*.h")


# ---------------------------------------------------------------- the code
def formatted():
    return call(["clang-format", "--dry-run", "--Werror", *code()])


# The analyzer follows every path through every function; all but the most entangled ones end within a third of its usual
# steps, in half of the time.
TIDY_STEPS = ("-Xclang", "-analyzer-config", "-Xclang", "max-nodes=75000")


def tidy():
    flags = ["--", "-std=c17", "-I.", "-Ilib/include", f"-I{BUILD}/generated", "-include", "lib/banned.h", "-D_GNU_SOURCE",
             "-isystem", "/usr/include/libxml2", "-isystem", "/usr/include/postgresql"]
    sources = tracked(*(f"{room}/*.c" for room in ROOMS), "examples/*.c")
    return in_parallel(lambda path: ["clang-tidy", "--quiet", path, *flags, *TIDY_STEPS], sources)


def cppcheck():
    scratch = BUILD / "cppcheck"
    scratch.mkdir(parents=True, exist_ok=True)
    return call(["cppcheck", "--quiet", "--std=c11", f"-j{CORES}", f"--cppcheck-build-dir={scratch}", "--error-exitcode=1",
                 "--enable=warning,performance,portability", "--inline-suppr", "--suppress=missingIncludeSystem",
                 "--suppress=normalCheckLevelMaxBranches", "--suppress=unknownMacro",
                 "--suppress=shiftNegativeLHS", "--suppress=varFuncNullUB", "--suppress=preprocessorErrorDirective",
                 "--suppress=autoVariables", "--suppress=comparePointers", "--suppress=invalidPointerCast",  # both defined by our compilers and POSIX
                 "-I.", "-Ilib/include", f"-I{BUILD}/generated", *ROOMS])


def shell():
    scripts = [path for path in tracked() if re.match(r"#!/bin/(ba)?sh", read(path)[:20])]
    return call(["shellcheck", *scripts])


def python():
    faults = []
    for path in tracked("*.py"):
        try:
            compile(read(path), path, "exec")
        except SyntaxError as error:
            faults.append(f"{path}:{error.lineno}: {error.msg}")
    return faults


def compilers():
    """gcc and clang build everything without a warning, each in a folder of its own; in CI gcc's is that of `make` itself."""
    gcc = BUILD if os.environ.get("CI") else BUILD / "gcc"
    builds = ["CC=gcc", f"BUILD={gcc.relative_to(ROOT)}"], ["CC=$(CLANG)", f"BUILD={BUILD.relative_to(ROOT)}/clang", "FLAGS_release=-O0 -DNDEBUG", "HARDEN_release="]
    return [line for build in builds
            for line in call(["make", "--silent", f"-j{CORES}", f"CI={os.environ.get('CI', '1')}", *build, "build", "unit-programs", "bench-programs"])]


# ---------------------------------------------------------------- the walls between the rooms
# What a room may include from the others. Public headers of lib are "armdyn/...".
MAY_INCLUDE = {"lib": ("lib/", "armdyn/"), "api": ("api/", "armdyn/"), "server": ("server/", "api/", "armdyn/")}

# System headers that have no business in lib: files, sockets, threads, processes.
NOT_IN_LIB = r"#include <(unistd|fcntl|pthread|threads|signal|errno|sys/.*|netinet/.*|arpa/.*|poll|dirent)\.h>"


def walls():
    faults = []
    for room, allowed in MAY_INCLUDE.items():
        for path in tracked(f"{room}/*.c", f"{room}/*.h"):
            for number, line in enumerate(read(path).splitlines(), 1):
                included = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
                if included and not included[1].startswith(allowed):
                    faults.append(f"{path}:{number}: {room} may not include {included[1]}")
    for path in tracked("lib/include/*.h", "examples/*.c"):
        faults += [f"{path}:{number}: a public header includes only armdyn/ headers" for number, line in
                   enumerate(read(path).splitlines(), 1) if re.match(r'\s*#\s*include\s+"(?!armdyn/)', line)]
    return faults + found(NOT_IN_LIB, tracked("lib/*.c", "lib/*.h"))


# What a room of server/ may include from the others there, besides base, and app.h, which names what all consist of. The
# commands (cmd) stand on top.
ARROWS = {
    "base": "", "config": "", "protocol": "", "conformance": "protocol", "ipc": "", "release": "", "store": "", "web": "",
    "robots": "store", "data": "robots store", "work": "data ipc store", "nodes": "ipc store work", "jobs": "config ipc store work",
    "protocol": "",
    "gateway": "config data ipc protocol robots store", "simulator": "protocol",
    "http": "config store", "webhooks": "config http store", "mqtt": "config store",
    "transfers": "config data gateway http protocol robots store watch work",
    "orders": "data gateway http jobs robots store transfers work",
    "watch": "gateway robots store", "trials": "conformance ipc",
    "alarms": "config gateway jobs orders protocol store transfers watch",
    "routes": "alarms config data gateway http jobs mqtt orders protocol release robots store transfers trials watch web webhooks work",
}


def arrows():
    faults = []
    for path in tracked("server/*/*.c", "server/*/*.h"):
        room = path.split("/")[1]
        if room == "cmd":
            continue
        allowed = {"base", "app.h", room, *ARROWS[room].split()} if room in ARROWS else ()
        for number, line in enumerate(read(path).splitlines(), 1):
            included = re.match(r'\s*#\s*include\s+"server/([^/"]+)', line)
            if included and included[1] not in allowed:
                faults.append(f"{path}:{number}: server/{room} may not include server/{included[1]}")
    return faults


def circles_of(arrows):
    """The sets of nodes that reach each other, by Tarjan's algorithm: node -> nodes."""
    order, lowest, stack, found_ones = {}, {}, [], []

    def visit(node):
        order[node] = lowest[node] = len(order)
        stack.append(node)
        for other in arrows.get(node, ()):
            if other not in order:
                visit(other)
            if other in stack:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == order[node]:
            at = stack.index(node)
            circle = stack[at:]
            del stack[at:]
            if len(circle) > 1:
                found_ones.append(frozenset(circle))

    for node in list(arrows):
        if node not in order:
            visit(node)
    return found_ones


def circles():
    """No file includes itself by way of others: neither header by header, nor with x.c and x.h as one."""
    included = {path: re.findall(r'^\s*#\s*include\s+"([^"]+)"', read(path), re.M)
                for room in ROOMS for path in tracked(f"{room}/*.c", f"{room}/*.h")}
    by_name = {path.removeprefix("lib/include/"): names for path, names in included.items()}
    by_stem = {}
    for path, names in by_name.items():
        stem = path.rsplit(".", 1)[0]
        by_stem.setdefault(stem, set()).update(name.rsplit(".", 1)[0] for name in names)
    for stem, others in by_stem.items():
        others.discard(stem)
    faults = [f"headers include each other: {' '.join(sorted(circle))}" for circle in circles_of(by_name)]
    return faults + [f"a circle of files: {' '.join(sorted(circle))}" for circle in circles_of(by_stem)]


# All that lib may ask of the system: memory, strings, arithmetic.
MAY_CALL = set("""
    malloc calloc realloc free aligned_alloc memcpy memmove memset memcmp memchr strlen strnlen strcmp strncmp strchr strrchr strstr strspn strcspn
    snprintf vsnprintf strtod strtol strtoul qsort bsearch abort __assert_fail __stack_chk_fail _GLOBAL_OFFSET_TABLE_
    __isoc99_sscanf __muldc3 __divdc3 __cpu_model __cpu_features2 __cpu_indicator_init __tls_get_addr
    """.split())
MATHS = set("""
    acos asin atan atan2 cabs cbrt ceil cexp copysign cos cosh erf exp exp2 expm1 fabs floor fma fmax fmin fmod frexp hypot ldexp lgamma log log10
    log1p log2 lrint lround llround modf nearbyint nextafter pow remainder rint round scalbn sin sincos sinh sqrt tan tanh tgamma trunc
    """.split())


def symbols():
    def names(flags, archive):
        text = subprocess.run(["nm", *flags, str(BUILD / archive)], check=True, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True).stdout
        return {line.split()[-1] for line in text.splitlines() if len(line.split()) >= 2}

    faults = []
    own = {room: names(["--defined-only", "-g"], archive) for room, archive in ARCHIVES.items()}
    wants = {room: names(["-u"], archive) for room, archive in ARCHIVES.items()}
    for name in sorted(wants["lib"] - own["lib"] - MAY_CALL - MATHS):
        if not re.match(r"_?_?Z?GV|__.*_chk$", name):
            faults.append(f"lib calls {name}, which is not on the list of tests/lint.py")
    faults += [f"libapi.a calls {name} of the server" for name in sorted(wants["api"] & own["server"] - own["api"])]
    faults += [f"{name} is defined by both {a} and {b}" for a, b in (("lib", "api"), ("lib", "server"), ("api", "server"))
               for name in sorted(own[a] & own[b])]
    text = subprocess.run(["nm", "-f", "sysv", str(BUILD / "liblib.a")], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          text=True).stdout
    faults += [f"lib holds the changeable global {line.split('|')[0].strip()}" for line in text.splitlines()
               if re.search(r"\|OBJECT\|.*\|\.(t?data|t?bss)(?!\.rel\.ro)", line.replace(" ", ""))]
    return faults


ARCHIVES = {"lib": "liblib.a", "api": "libapi.a", "server": "libserver.a"}


# ---------------------------------------------------------------- the contract and the documents
def contract():
    return call([sys.executable, "api/lint.py"])


def generated():
    return call([sys.executable, "api/json/powers_of_ten.py", "--check"])


LIMIT = r"^#define (LIMIT_\w+)\s+(?:(KB|MB)\()?(\d+)\)?"


def limits():
    """deploy/doc/limits.md names every limit of api/limits.h with its value: | `LIMIT_X` | 64 KiB | ... |"""
    unit = {"KB": " KiB", "MB": " MiB", "": ""}
    stated = dict(re.findall(r"^\| `(LIMIT_\w+)` \| ([^|]+?) \|", read("deploy/doc/limits.md"), re.M))
    true = {name: f"{int(number):,}{unit[scale]}" for name, scale, number in re.findall(LIMIT, read("api/limits.h"), re.M)}
    return [f"deploy/doc/limits.md: {name}: says {stated.get(name)}, api/limits.h says {true.get(name)}"
            for name in sorted(true.keys() | stated.keys()) if stated.get(name) != true.get(name)]


def licences():
    """THIRD-PARTY.md names every package that the pages carry, with the version and licence of the lock file: | `name` 1.2.3 | ... | MIT |"""
    packages = json.loads(read("server/web/package-lock.json"))["packages"]
    true = {(at.removeprefix("node_modules/"), one["version"], one["license"]) for at, one in packages.items() if at and not one.get("dev")}
    carried = read("THIRD-PARTY.md").split("## Carried by the pages")[1].split("\n## ")[0]
    stated = set(re.findall(r"^\| `(.+?)` (\S+) \| .* \| (\S+) \|$", carried, re.M))
    return [f"THIRD-PARTY.md: {' '.join(one)} is {'not named' if one in true else 'not carried'}" for one in sorted(true ^ stated)]


def links():
    """Relative links of the documents lead somewhere, to the heading that they name."""
    faults = []
    for path in tracked("*.md"):
        for link in re.findall(r"\]\(([^)\s]+)\)", read(path)):
            target, _, heading = link.partition("#")
            file = (ROOT / path).parent.joinpath(target) if target else ROOT / path
            if "://" in link or link.startswith("mailto:"):
                continue
            if not file.exists():
                faults.append(f"{path}: {target} does not exist")
            elif heading and file.suffix == ".md" and heading not in headings(file.read_text()):
                faults.append(f"{path}: {link}: there is no such heading")
    return faults


def headings(text):
    """By what links call them."""
    names = re.findall(r"^#+ +(.+?) *$", re.sub(r"^```.*?^```", "", text, flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", name.lower()).replace(" ", "-") for name in names}


def pages():
    """Every page that a file speaks of is one of this repository."""
    known = {"/" + path for path in tracked("*.md")}
    return [f"{path}:{number}: there is no {page}" for path in text_files() if not path.endswith((".md", ".json"))
            for number, line in enumerate(read(path).splitlines(), 1) for page in re.findall(r"(?<![\w*/-])[A-Za-z][\w/-]*\.md\b", line)
            if not any(one.endswith("/" + page) for one in known)]


def text_files():
    return [path for path in tracked() if not path.startswith(("tests/data/", "tests/fuzz/seeds/", "LICENSE"))
            and path != "tests/lint.py" and b"\0" not in (ROOT / path).read_bytes()[:4096]]


def toys():
    """Words that mark what is not finished."""
    return found(r"\b(TODO|FIXME|XXX|HACK|stubbed|lorem ipsum|not (yet )?implemented|unimplemented)\b", text_files(), re.I)


def places():
    """Paths of one machine and hosts that a user does not have."""
    return found(r"(?<![\w.])/(work|root|home|Users)/\w|artifactory|registry\.(npmjs|yarnpkg)|pypi\.org|proxy\.golang|\w\.internal[:/\s]",
                 text_files())


def wide():
    """Comments, which clang-format leaves alone, end by column 128; but for headings of tables, which have wide gaps."""
    return found(r"^(?=.{129})\s*(/\*|\*)(?!.*\S {3,}\S)", code())


def whitespace():
    return found(r"[ \t]+$", text_files()) + found("\t", [path for path in text_files() if path not in ("Makefile", "deploy/debian/rules")]) + \
        [f"{path}: no newline at its end" for path in text_files() if not read(path).endswith("\n") and read(path)]


CHECKS = {
    "compilers": compilers, "formatted": formatted, "tidy": tidy, "cppcheck": cppcheck, "shell": shell, "python": python, "walls": walls, "arrows": arrows, "circles": circles,
    "symbols": symbols, "contract": contract, "generated": generated, "limits": limits, "licences": licences, "links": links, "pages": pages, "toys": toys, "places": places,
    "whitespace": whitespace, "wide": wide,
}


def main(asked):
    unknown = set(asked) - CHECKS.keys()
    if unknown:
        sys.exit(f"no check {' '.join(unknown)}; there are: {' '.join(CHECKS)}")
    bad = 0
    for name, check in CHECKS.items():
        if asked and name not in asked:
            continue
        start = time.monotonic()
        faults = check()
        for fault in faults:
            print(fault)
        bad += len(faults)
        print(f"{name:<12} {'ok' if not faults else f'{len(faults)} findings':<14} {time.monotonic() - start:6.1f} s", flush=True)
    print("lint: clean" if bad == 0 else f"lint: {bad} findings")
    return 1 if bad else 0


if __name__ == "__main__":
    os.chdir(ROOT)
    os.environ.pop("MAKEFLAGS", None)  # its job server does not reach through us
    sys.exit(main(sys.argv[1:]))
