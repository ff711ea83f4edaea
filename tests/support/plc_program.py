"""A PLC's program in structured text (IEC 61131-3) that runs as fast as its scan: the subset of the controller's program that
`armdyn registers --format st` prints, translated to Python once. (structured_text.py interprets more of the language, slowly.)

    program = Program(text, constants={"AXES": 3})
    block = program.block("ArmdynController")     # an instance of a function block
    block(R=registers, CycleUs=10000)             # one call; VAR_IN_OUT arrays are shared, outputs are attributes

Functions, function blocks, arrays from 0, IF, CASE, FOR, WHILE, EXIT, RETURN; AND and OR evaluate both sides, as the standard has
it. Numbers keep the size of their type: WORD and UINT 16 bits, DWORD and UDINT 32, REAL is a float32. What is not of the
subset is an error, and so is an array index outside its bounds.
"""

import re
import struct

TOKEN = re.compile(r"""(?P<space>\s+|\(\*.*?\*\))|(?P<number>16\#[0-9A-Fa-f]+|\d+\.\d+(?:[Ee][+-]?\d+)?|\d+)|(?P<name>[A-Za-z_]\w*)
    |(?P<mark>:=|<>|<=|>=|\.\.|[-+*/=<>():;,.\[\]])""", re.S | re.X)
SIZES = {"WORD": 0xFFFF, "UINT": 0xFFFF, "DWORD": 0xFFFFFFFF, "UDINT": 0xFFFFFFFF}
SIGNED = {"INT": 16, "DINT": 32}
SECTIONS = ("VAR", "VAR_INPUT", "VAR_OUTPUT", "VAR_IN_OUT", "VAR_GLOBAL", "VAR_EXTERNAL")
OPERATORS = [{"OR": "|"}, {"XOR": "^"}, {"AND": "&"}, {"=": "==", "<>": "!="}, {"<": "<", ">": ">", "<=": "<=", ">=": ">="},
             {"+": "+", "-": "-"}, {"*": "*", "/": "divide", "MOD": "%"}]


def real(value):
    """The nearest float32."""
    return struct.unpack("f", struct.pack("f", value))[0]


def divide(a, b):
    """Of whole numbers whole, of others not."""
    return a // b if isinstance(a, int) and isinstance(b, int) else real(a / b)


def keep(kind, value):
    """A value as a variable of this type holds it."""
    if kind in SIZES:
        return int(value) & SIZES[kind]
    if kind in SIGNED:
        half = 1 << (SIGNED[kind] - 1)
        return (int(value) + half) % (2 * half) - half
    return real(value) if kind == "REAL" else bool(value)


def zero(kind):
    return 0.0 if kind == "REAL" else False if kind == "BOOL" else 0


class Array(list):
    """An array that has no element before its first."""

    def __getitem__(self, index):
        if index < 0:
            raise IndexError(index)
        return list.__getitem__(self, index)

    def __setitem__(self, index, value):
        if index < 0:
            raise IndexError(index)
        list.__setitem__(self, index, value)


BUILT_IN = {"ABS": abs, "MIN": min, "MAX": max, "SHR": lambda x, n: x >> n, "EXPT": lambda x, n: real(x ** n), "divide": divide,
            "keep": keep, "Array": Array}
CONVERSION = re.compile(r"(?:BOOL|WORD|DWORD|UINT|UDINT|INT|DINT|REAL)_TO_(WORD|DWORD|UINT|UDINT|INT|DINT|REAL)$")


class Unit:
    """A function or a function block: its variables {name: (section, type, elements or None, initial)} and its Python code."""

    def __init__(self, name, result):
        self.name, self.result, self.variables, self.code = name, result, {}, None


class Parser:
    def __init__(self, text, constants):
        self.tokens, at = [], 0
        while at < len(text):
            match = TOKEN.match(text, at)
            if not match:
                raise SyntaxError(f"structured text: {text[at:at + 40]!r}")
            at = match.end()
            if match.lastgroup != "space":
                self.tokens.append(match[0])
        self.at, self.constants, self.fixed, self.units = 0, {}, constants, {}

    # -- tokens --
    def peek(self, *wanted):
        return self.at < len(self.tokens) and self.tokens[self.at] in wanted

    def next(self):
        self.at += 1
        return self.tokens[self.at - 1]

    def take(self, wanted):
        if not self.peek(wanted):
            raise SyntaxError(f"structured text: {wanted!r} expected at {' '.join(self.tokens[self.at - 6:self.at + 6])!r}")
        return self.next()

    def skip(self, wanted):
        return bool(self.peek(wanted) and self.next())

    # -- units --
    def file(self):
        while self.at < len(self.tokens):
            if self.peek("VAR_GLOBAL"):
                self.globals()
            else:
                self.units_of(self.next())
        return self.units

    def globals(self):
        self.next()
        self.skip("CONSTANT")
        while not self.skip("END_VAR"):
            name = self.next()
            self.take(":")
            kind = self.next()
            self.take(":=")
            value = self.number(self.next())
            self.take(";")
            self.constants[name] = keep(kind, self.fixed.get(name, value))

    def units_of(self, opening):
        if opening not in ("FUNCTION", "FUNCTION_BLOCK", "PROGRAM"):
            raise SyntaxError(f"structured text: {opening!r} opens nothing")
        self.unit = Unit(self.next(), None)
        if opening == "FUNCTION":
            self.take(":")
            self.unit.result = self.next()
        self.units[self.unit.name] = self.unit
        while self.peek(*SECTIONS):
            self.variables(self.next())
        self.loops = 0
        body = self.statements("END_" + opening)
        self.next()
        self.unit.code = body

    def variables(self, section):
        self.skip("RETAIN")
        while not self.skip("END_VAR"):
            names = [self.next()]
            while self.skip(","):
                names.append(self.next())
            self.take(":")
            kind, count = self.next(), None
            if kind == "ARRAY":
                self.take("[")
                self.take("0")
                self.take("..")
                count = self.constant() + 1
                self.take("]")
                self.take("OF")
                kind = self.next()
            initial = self.expression() if self.skip(":=") else None
            self.take(";")
            for name in names:
                self.unit.variables[name] = (section, kind, count, initial)

    def constant(self):
        token = self.next()
        return self.constants[token] if token in self.constants else self.number(token)

    @staticmethod
    def number(token):
        if token.startswith("16#"):
            return int(token[3:], 16)
        return real(float(token)) if "." in token else int(token)

    # -- statements: lines of Python --
    def statements(self, *ends):
        lines = []
        while not self.peek(*ends):
            lines += self.statement()
        return lines or ["pass"]

    def statement(self):
        if self.skip(";"):
            return []
        token = self.next()
        handler = getattr(self, "statement_" + token, None)
        lines = handler() if handler else self.assignment_or_call(token)
        self.skip(";")
        return lines

    @staticmethod
    def indented(lines):
        return ["  " + line for line in lines]

    def statement_IF(self):  # pylint: disable=invalid-name
        lines, word = [], "if"
        while True:
            lines.append(f"{word} {self.expression()}:")
            self.take("THEN")
            lines += self.indented(self.statements("ELSIF", "ELSE", "END_IF"))
            word = "elif"
            if not self.skip("ELSIF"):
                break
        if self.skip("ELSE"):
            lines += ["else:", *self.indented(self.statements("END_IF"))]
        self.take("END_IF")
        return lines

    def statement_CASE(self):  # pylint: disable=invalid-name
        lines, word = [f"case = {self.expression()}"], "if"
        self.take("OF")
        while not self.peek("ELSE", "END_CASE"):
            values = [self.next()]
            while self.skip(","):
                values.append(self.next())
            self.take(":")
            body = []
            while not (self.peek("ELSE", "END_CASE") or (self.tokens[self.at].isdigit() and self.tokens[self.at + 1] in ":,")):
                body += self.statement()
            lines += [f"{word} case in ({', '.join(values)},):", *self.indented(body or ["pass"])]
            word = "elif"
        if self.skip("ELSE"):
            lines += ["else:", *self.indented(self.statements("END_CASE"))]
        self.take("END_CASE")
        return lines

    def statement_FOR(self):  # pylint: disable=invalid-name
        name = self.place(self.next())
        self.take(":=")
        first = self.expression()
        self.take("TO")
        last = self.expression()
        self.take("DO")
        body = self.statements("END_FOR")
        self.take("END_FOR")
        return [f"for {name} in range({first}, {last} + 1):", *self.indented(body)]

    def statement_WHILE(self):  # pylint: disable=invalid-name
        condition = self.expression()
        self.take("DO")
        body = self.statements("END_WHILE")
        self.take("END_WHILE")
        return [f"while {condition}:", *self.indented(body)]

    def statement_EXIT(self):  # pylint: disable=invalid-name
        return ["break"]

    def statement_RETURN(self):  # pylint: disable=invalid-name
        return [f"return {self.local(self.unit.name)}"]

    def assignment_or_call(self, name):
        if self.peek("("):
            self.next()
            arguments = []
            while not self.skip(")"):
                arguments.append(f"{self.next()}={self.take(':=') and self.expression()}")
                self.skip(",")
            return [f"{self.place(name)}({', '.join(arguments)})"]
        target = self.place(name)
        if self.skip("["):
            target = f"{target}[{self.expression()}]"
            self.take("]")
        self.take(":=")
        kind = self.unit.result if name == self.unit.name else self.unit.variables[name][1]
        return [f"{target} = keep({kind!r}, {self.expression()})"]

    # -- expressions --
    def expression(self, level=0):
        if level == len(OPERATORS):
            return self.factor()
        left = self.expression(level + 1)
        while self.at < len(self.tokens) and self.tokens[self.at] in OPERATORS[level]:
            operator, right = OPERATORS[level][self.next()], self.expression(level + 1)
            left = f"divide({left}, {right})" if operator == "divide" else f"({left} {operator} {right})"
        return left

    def factor(self):
        token = self.next()
        if token == "(":
            inner = self.expression()
            self.take(")")
            return f"({inner})"
        if token == "-":
            return f"(-{self.factor()})"
        if token == "NOT":
            return f"(not {self.factor()})"
        if token in ("TRUE", "FALSE"):
            return token.capitalize()
        if token[0].isdigit():
            return repr(self.number(token))
        if self.skip("("):
            return self.called(token)
        if self.skip("."):
            return f"{self.place(token)}.v_{self.next()}" + self.index()
        return self.place(token) + self.index()

    def index(self):
        if not self.skip("["):
            return ""
        inner = self.expression()
        self.take("]")
        return f"[{inner}]"

    def called(self, name):
        arguments = []
        while not self.skip(")"):
            arguments.append(self.expression())
            self.skip(",")
        conversion = CONVERSION.match(name)
        if conversion and len(arguments) == 1:
            rounded = f"round({arguments[0]})" if name.startswith("REAL_TO") else arguments[0]
            return f"keep({conversion[1]!r}, {rounded})"
        if name not in BUILT_IN and name not in self.units:
            raise SyntaxError(f"structured text: there is no function {name}")
        return f"{name}({', '.join(arguments)})"

    def place(self, name):
        if name in self.constants and name not in self.unit.variables:
            return repr(self.constants[name])
        if name not in self.unit.variables and name != self.unit.name:
            raise SyntaxError(f"structured text: {self.unit.name} has no {name}")
        return self.local(name)

    def local(self, name):
        return f"v_{name}" if self.unit.result else f"self.v_{name}"


class Block:
    """An instance of a function block or a program: variables are attributes v_NAME."""

    def __init__(self, unit, units, body):
        self.unit, self.body = unit, body
        for name, (section, kind, count, initial) in unit.variables.items():
            if section in ("VAR_IN_OUT", "VAR_EXTERNAL"):
                continue
            value = units[kind]() if kind in units else zero(kind) if initial is None else eval(initial)  # pylint: disable=eval-used
            setattr(self, "v_" + name, Array([value] * count) if count else value)

    def __call__(self, **arguments):
        for name, value in arguments.items():
            section, kind, count, _ = self.unit.variables[name]
            if section not in ("VAR_INPUT", "VAR_IN_OUT", "VAR_EXTERNAL"):
                raise TypeError(f"{name} is no input of {self.unit.name}")
            if section != "VAR_INPUT":
                setattr(self, "v_" + name, value)
            else:
                setattr(self, "v_" + name, Array(keep(kind, x) for x in value) if count else keep(kind, value))
        self.body(self)


class Program:
    """The units of a text; constants= says other values of its global constants."""

    def __init__(self, text, constants=None):
        parser = Parser(text, constants or {})
        self.units, self.space, self.makers = parser.file(), dict(BUILT_IN), {}
        self.constants = parser.constants
        for unit in self.units.values():
            exec("\n".join(self.definition(unit)), self.space)  # pylint: disable=exec-used
            if not unit.result:
                self.makers[unit.name] = self.maker(unit)

    @staticmethod
    def definition(unit):
        if not unit.result:
            return [f"def body_{unit.name}(self):", *Parser.indented(unit.code)]
        inputs = [name for name, variable in unit.variables.items() if variable[0] == "VAR_INPUT"]
        others = [f"v_{name} = {zero(variable[1])!r}" for name, variable in unit.variables.items() if variable[0] != "VAR_INPUT"]
        return [f"def {unit.name}({', '.join('v_' + name for name in inputs)}):",
                *Parser.indented([f"v_{unit.name} = {zero(unit.result)!r}", *others, *unit.code, f"return v_{unit.name}"])]

    def maker(self, unit):
        return lambda: Block(unit, self.makers, self.space["body_" + unit.name])

    def block(self, name):
        return self.makers[name]()
