"""Structured text (IEC 61131-3:2013, annex A) run as a PLC would run it, and refused where a compiler would refuse it. It shares
nothing with what prints such text; it is translated to Python once, so that a block can be called every scan.

    program = Program(text, ..., constants={"AXES": 3})   # constants= says other values of global constants
    block = program.block("FB_GRAVITY")                   # an instance of a function block or program
    block(q=[0.1, 0.2])                                   # one call; inputs that are left out keep their values
    block["tau"]                                          # a list; of two dimensions a list of rows

Names know no case, must not be keywords and hide nothing global. Types: BOOL, BYTE .. LWORD, SINT .. ULINT, REAL, LREAL, arrays,
function blocks; whole numbers wrap as their type does, REAL is rounded to 32 bits after every operation. Numbers of different
kinds are converted by name alone. VAR_IN_OUT and VAR_EXTERNAL arrays are the caller's own list. What is read must be declared before.
"""

import math
import re
import struct

TOKEN = re.compile(r"""
    (?P<space>\s+|\(\*.*?\*\)|//[^\n]*|\{[^}]*\})
  | (?P<number>(?:L?REAL\#)?\d[\d_]*\.\d+(?:[eE][+-]?\d+)?|16\#[0-9A-Fa-f_]+|\d[\d_]*)
  | (?P<name>\#?"[^"]+"|\#?[A-Za-z_]\w*)
  | (?P<sign>:=|=>|<>|<=|>=|\.\.|[-+*/<>=()\[\],;:.])
""", re.X | re.S)

BITS = {"BYTE": 8, "WORD": 16, "DWORD": 32, "LWORD": 64}
UNSIGNED = {**BITS, "USINT": 8, "UINT": 16, "UDINT": 32, "ULINT": 64}
SIGNED = {"SINT": 8, "INT": 16, "DINT": 32, "LINT": 64}
TYPES = {"BOOL", "REAL", "LREAL", *UNSIGNED, *SIGNED}
SECTIONS = ("VAR", "VAR_INPUT", "VAR_OUTPUT", "VAR_IN_OUT", "VAR_TEMP", "VAR_EXTERNAL")
SHARED = ("VAR_IN_OUT", "VAR_EXTERNAL")
UNITS = ("FUNCTION", "FUNCTION_BLOCK", "PROGRAM")
FLOATS = {"SIN": "math.sin", "COS": "math.cos", "EXP": "math.exp", "LN": "math.log", "SQRT": "math.sqrt"}
OTHERS = {"ABS": "abs", "MIN": "min", "MAX": "max", "SHL": "shl", "SHR": "shr", "EXPT": "expt"}
# What TwinCAT's manual and the standard's annex keep for themselves, whatever is in the text.
KEYWORDS = {*TYPES, *UNITS, *FLOATS, *OTHERS, *SECTIONS, *"""ACOS ACTION ADD ADR AND ANDN ARRAY ASIN AT ATAN ATAN2 BEGIN BITADR BY CAL
    CALC CALCN CASE CHAR CLASS CONCAT CONFIGURATION CONSTANT CONTINUE DATE DATE_AND_TIME DIV DO DT ELSE ELSIF END_CASE END_FOR END_IF
    END_REPEAT END_VAR END_WHILE EQ EXIT FALSE FOR FROM GE GT IF INDEXOF INITIAL_STEP INTERFACE INTERVAL JMP JMPC JMPCN LD LDN LE LIMIT
    LOG LT LTIME METHOD MOD MOVE MUL MUX NE NOT OF OR ORN PARAMS PERSISTENT POINTER PRIORITY R READ_ONLY READ_WRITE REFERENCE REPEAT
    RESOURCE RET RETAIN RETC RETCN RETURN ROL ROR S SEL SIZEOF ST STEP STN STRING STRUCT SUB SUPER TAN TASK THEN THIS TIME TIME_OF_DAY
    TO TOD TRANSITION TRUE TRUNC TYPE UNTIL USING VAR_CONFIG VAR_GLOBAL VAR_STAT WCHAR WHILE WITH WSTRING XOR XORN""".split()}
LEVELS = [{"OR": "|"}, {"XOR": "^"}, {"AND": "&"}, {"=": "==", "<>": "!="}, {"<": "<", ">": ">", "<=": "<=", ">=": ">="},
          {"+": "+", "-": "-"}, {"*": "*", "/": "/", "MOD": "%"}]


class StructuredTextError(Exception):
    pass


# ---------------------------------------------------------------- values, for what the text becomes

def real(x):
    """The nearest REAL."""
    try:
        return struct.unpack("f", struct.pack("f", x))[0]
    except OverflowError:
        return math.copysign(math.inf, x)


def signed(x, bits):
    return (x + (1 << bits - 1)) % (1 << bits) - (1 << bits - 1)


def at(index, first, last):
    """Where an element is, of an array that has it."""
    if not first <= index <= last:
        raise StructuredTextError(f"index {index} is not in {first}..{last}")
    return index - first


SPACE = {"math": math, "real": real, "signed": signed, "at": at, "shl": lambda x, n: x << n, "shr": lambda x, n: x >> n,
         "expt": lambda x, n: x ** n, "quotient": lambda a, b: abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1), "remainder": math.fmod}


def fit(kind, code):
    """Code that keeps a value as a variable of this type does."""
    if kind == "REAL":
        return f"real({code})"
    if kind in UNSIGNED:
        return f"({code} & {(1 << UNSIGNED[kind]) - 1})"
    return f"signed({code}, {SIGNED[kind]})" if kind in SIGNED else code


def kept(kind, value):
    """A value from outside, as an input of this type."""
    if isinstance(value, bool) != (kind == "BOOL"):
        raise StructuredTextError(f"{value!r} is no {kind}")
    value = value if kind == "BOOL" else float(value) if kind.endswith("REAL") else int(value)
    return eval(fit(kind, repr(value)), SPACE)  # pylint: disable=eval-used


def elements(ranges):
    return math.prod(last - first + 1 for first, last in ranges)


def flat(value):
    return [x for item in value for x in flat(item)] if isinstance(value, (list, tuple)) else [value]


# ---------------------------------------------------------------- what is declared

class Variable:
    """kind: a type or the Unit of a block; ranges: [(first, last)] of an array, else []; initial: Python code or None."""

    def __init__(self, section, kind, ranges, initial):
        self.section, self.kind, self.ranges, self.initial = section, kind, ranges, initial

    def make(self):
        if isinstance(self.kind, Unit):
            return Block(self.kind)
        size = elements(self.ranges)
        value = self.initial if self.initial is not None else False if self.kind == "BOOL" else kept(self.kind, 0)
        if not self.ranges:
            return value
        values = value if isinstance(value, list) else [value] * size
        if len(values) != size:
            raise StructuredTextError(f"{len(values)} initial values of {size}")
        return list(values)


class Unit:
    """A function (which has a result type), a function block or a program."""

    def __init__(self, name, result):
        self.name, self.result, self.variables, self.run = name, result, {}, None


class Expression:
    """Python code and its type. ANY_INT and ANY_REAL: numbers in the text, which take the type of what they meet."""

    def __init__(self, code, kind, ranges=()):
        self.code, self.kind, self.ranges = code, kind, ranges

    def to(self, kind):
        """As a value of this type; converted by itself only as the standard does."""
        own = self.kind
        if own == kind:
            return self.code
        if (own == "ANY_INT" and kind != "BOOL") or (own == "ANY_REAL" and kind.endswith("REAL")):
            value = eval(self.code, SPACE)  # pylint: disable=eval-used
            return repr(kept(kind, value))
        if own == "REAL" and kind == "LREAL":
            return self.code
        wider = {**UNSIGNED, **SIGNED}.get(kind, 0) > {**UNSIGNED, **SIGNED}.get(own, 64)
        if wider and (own in BITS) == (kind in BITS) and (own in UNSIGNED or kind in SIGNED):
            return self.code
        raise StructuredTextError(f"{self.code}: {own} is not converted to {kind} by itself")


def common(a, b):
    """The type of two numbers together."""
    for kind in ("LREAL", "REAL", "ANY_REAL"):
        if kind in (a.kind, b.kind):
            return kind
    if "ANY_INT" in (a.kind, b.kind):
        return b.kind if a.kind == "ANY_INT" else a.kind
    return max(a.kind, b.kind, key=lambda kind: {**UNSIGNED, **SIGNED}.get(kind, 0))


# ---------------------------------------------------------------- text to Python

class Translator:
    """Reads one text after the other; units and constants are known to what comes after them."""

    def __init__(self, constants):
        self.fixed, self.constants, self.units = {name.upper(): value for name, value in constants.items()}, {}, {}
        self.tokens, self.at, self.unit = [], 0, None

    def read(self, text):
        at_, self.tokens, self.at = 0, [], 0
        while at_ < len(text):
            match = TOKEN.match(text, at_)
            if not match:
                raise StructuredTextError(f"cannot read {text[at_:at_ + 40]!r}")
            at_ = match.end()
            if match.lastgroup == "name":
                self.tokens.append(("name", match[0].lstrip("#").strip('"').upper()))
            elif match.lastgroup != "space":
                self.tokens.append((match.lastgroup, match[0]))
        self.tokens.append(("end", ""))
        while not self.peek(""):
            if self.take("VAR_GLOBAL"):
                self.globals()
            else:
                self.unit_of(self.need(*UNITS))

    # -- tokens --
    def peek(self, *texts):
        kind, text = self.tokens[self.at]
        return kind != "number" and text in texts

    def take(self, *texts):
        if not self.peek(*texts):
            return None
        self.at += 1
        return self.tokens[self.at - 1][1]

    def need(self, *texts):
        if (found := self.take(*texts)) is None:
            raise StructuredTextError(f"{' or '.join(texts)} is missing before {[t for _, t in self.tokens[self.at:self.at + 6]]}")
        return found

    def name(self):
        kind, text = self.tokens[self.at]
        if kind != "name" or text in KEYWORDS:
            raise StructuredTextError(f"{text!r} is no name, before {[t for _, t in self.tokens[self.at + 1:self.at + 6]]}")
        self.at += 1
        return text

    def new_name(self):
        name = self.name()
        own = self.unit.variables if self.unit else ()
        if name in own or name in self.constants or name in self.units:
            raise StructuredTextError(f"{name} is declared twice, or hides what is global")
        return name

    # -- declarations --
    def globals(self):
        self.take("CONSTANT")
        while not self.take("END_VAR"):
            name, _ = self.new_name(), self.need(":=") if self.take(":=") else self.need(":")
            kind, _ = self.type(), self.need(":=")
            value = self.fixed.get(name, eval(self.expression().to(kind), SPACE))  # pylint: disable=eval-used
            self.constants[name] = Expression(repr(kept(kind, value)), kind)
            self.need(";")

    def type(self):
        name = self.tokens[self.at][1]
        if name in TYPES:
            self.at += 1
            return name
        if self.name() not in self.units:
            raise StructuredTextError(f"there is no type {name}")
        return self.units[name]

    def constant(self):
        return eval(self.expression().code, SPACE)  # pylint: disable=eval-used

    def declare(self, section):
        while self.take("RETAIN", "CONSTANT", "PERSISTENT"):
            pass
        while not self.take("END_VAR"):
            names, ranges = [self.new_name()], []
            while self.take(","):
                names.append(self.new_name())
            self.need(":")
            if self.take("ARRAY"):
                self.need("[")
                ranges.append((self.constant(), self.need("..") and self.constant()))
                while self.take(","):
                    ranges.append((self.constant(), self.need("..") and self.constant()))
                self.need("]")
                self.need("OF")
            kind = self.type()
            initial = self.initial(kind) if self.take(":=") else None
            self.need(";")
            for name in names:
                self.unit.variables[name] = Variable(section, kind, ranges, initial)

    def initial(self, kind):
        if not self.take("["):
            return eval(self.expression().to(kind), SPACE)  # pylint: disable=eval-used
        values = []
        while not self.take("]"):
            values.append(self.initial(kind))
            self.take(",")
        return values

    def unit_of(self, opening):
        name, result = self.new_name(), None
        if opening == "FUNCTION":
            self.need(":")
            result = self.type()
        unit = self.unit = Unit(name, result)
        while section := self.take(*SECTIONS):
            self.declare(section)
        self.take("BEGIN")
        lines = self.statements("END_" + opening)
        self.need("END_" + opening)
        self.units[name], self.unit = unit, None
        space = {**SPACE, **{"f_" + other.name: other.run for other in self.units.values()}}
        exec("\n".join([f"def run({self.parameters(unit)}):", *indented(lines)]), space)  # pylint: disable=exec-used
        unit.run = space["run"]

    @staticmethod
    def parameters(unit):
        """Of a function its inputs, and everything else with its first value."""
        if not unit.result:
            return "self"
        others = {unit.name: Variable("VAR", unit.result, [], None), **unit.variables}
        return ", ".join([*("v_" + name for name, v in others.items() if v.section == "VAR_INPUT"),
                          *(f"v_{name}={v.make()!r}" for name, v in others.items() if v.section != "VAR_INPUT")])

    # -- statements: lines of Python --
    def statements(self, *ends):
        lines = []
        while not self.peek(*ends):
            if not self.take(";"):
                lines += self.statement()
        return [*lines, f"return v_{self.unit.name}"] if self.unit.result and ends == ("END_FUNCTION",) else lines or ["pass"]

    def body(self, end):
        lines = self.statements(end)
        self.need(end)
        return indented(lines)

    def statement(self):
        if word := self.take("IF", "CASE", "FOR", "WHILE", "REPEAT"):
            return getattr(self, "do_" + word.lower())()
        if self.take("EXIT"):
            return ["break"]
        if self.take("RETURN"):
            return [f"return v_{self.unit.name}" if self.unit.result else "return"]
        if self.tokens[self.at + 1][1] == "(":
            return self.call_of_block()
        if self.unit.result and self.peek(self.unit.name):
            self.name()
            target = Expression("v_" + self.unit.name, self.unit.result)
        else:
            target = self.place()
        self.need(":=")
        return [f"{target.code}{'[:]' if target.ranges else ''} = {self.given(target)}"]

    def given(self, target):
        """A value for this place: of an array another one, of as many elements of the same type."""
        if not target.ranges:
            return self.expression().to(target.kind)
        source = self.place()
        if source.kind != target.kind or elements(source.ranges) != elements(target.ranges):
            raise StructuredTextError(f"{source.code} is no array like {target.code}")
        return source.code

    def call_of_block(self):
        """Inputs, the call, outputs."""
        before, after, name = [], [], self.name()
        instance = self.variable(name)
        self.need("(")
        while not self.take(")"):
            member = self.name()
            inner = self.member(instance, member)
            variable = instance.kind.variables[member]
            if self.need(":=", "=>") == "=>":
                target = self.place()
                after.append(f"{target.code} = {inner.to(target.kind)}")
            else:
                copied = variable.ranges and variable.section not in SHARED
                before.append(f"{inner.code}{'[:]' if copied else ''} = {self.given(inner)}")
            self.take(",")
        return [*before, f"{self.own(name)}.run()", *after]

    def do_if(self):
        lines, word = [], "if"
        while True:
            lines += [f"{word} {self.expression().to('BOOL')}:", *indented(self.need("THEN") and self.statements("ELSIF", "ELSE", "END_IF"))]
            word = "elif"
            if not self.take("ELSIF"):
                break
        if self.take("ELSE"):
            lines += ["else:", *indented(self.statements("END_IF"))]
        self.need("END_IF")
        return lines

    def do_case(self):
        lines, word = [f"case = {self.expression().code}"], "if"
        self.need("OF")
        while not self.peek("ELSE", "END_CASE"):
            labels = [self.constant()]
            while self.take(","):
                labels.append(self.constant())
            self.need(":")
            body = []
            while not self.peek("ELSE", "END_CASE") and self.tokens[self.at][0] != "number":
                body += [] if self.take(";") else self.statement()
            lines += [f"{word} case in {labels!r}:", *indented(body or ["pass"])]
            word = "elif"
        if self.take("ELSE"):
            lines += ["else:", *indented(self.statements("END_CASE"))]
        self.need("END_CASE")
        return lines

    def do_for(self):
        target, _ = self.place(), self.need(":=")
        first, _ = self.expression().to(target.kind), self.need("TO")
        last = self.expression().to(target.kind)
        step = self.constant() if self.take("BY") else 1
        self.need("DO")
        return [f"for {target.code} in range({first}, {last} + {1 if step > 0 else -1}, {step}):", *self.body("END_FOR")]

    def do_while(self):
        condition, _ = self.expression().to("BOOL"), self.need("DO")
        return [f"while {condition}:", *self.body("END_WHILE")]

    def do_repeat(self):
        lines = self.statements("UNTIL")
        self.need("UNTIL")
        condition, _ = self.expression().to("BOOL"), self.need("END_REPEAT")
        return ["while True:", *indented([*lines, f"if {condition}:", "  break"])]

    # -- places --
    def own(self, name):
        return f"v_{name}" if self.unit.result else f"self.v_{name}"

    def variable(self, name):
        if name not in self.unit.variables:
            raise StructuredTextError(f"{self.unit.name} knows no {name}")
        return self.unit.variables[name]

    def member(self, instance, name):
        if not isinstance(instance.kind, Unit) or name not in instance.kind.variables:
            raise StructuredTextError(f"there is no {name} in {getattr(instance.kind, 'name', instance.kind)}")
        owner = next(key for key, value in self.unit.variables.items() if value is instance)
        return Expression(f"{self.own(owner)}.v_{name}", instance.kind.variables[name].kind, instance.kind.variables[name].ranges)

    def place(self):
        name = self.name()
        variable, code = self.variable(name), self.own(name)
        if self.take("."):
            member = self.name()
            code, variable = self.member(variable, member).code, variable.kind.variables[member]
        if not self.take("["):
            return Expression(code, variable.kind, variable.ranges)
        place = ""
        for k, (first, last) in enumerate(variable.ranges):
            index = self.expression().code if k == 0 or self.need(",") else ""
            inner = str(at(int(index), first, last)) if index.isdigit() else f"at({index}, {first}, {last})"
            place = f"({place}) * {last - first + 1} + {inner}" if place else inner
        self.need("]")
        return Expression(f"{code}[{place}]", variable.kind)

    # -- expressions --
    def expression(self, level=0):
        if level == len(LEVELS):
            return self.factor()
        left = self.expression(level + 1)
        while operator := self.take(*LEVELS[level]):
            left = self.joined(operator, LEVELS[level][operator], left, self.expression(level + 1))
        return left

    @staticmethod
    def joined(operator, python, a, b):
        kind = common(a, b)
        compares, bits = operator in ("=", "<>", "<", ">", "<=", ">="), operator in ("AND", "OR", "XOR")
        if kind.startswith("ANY"):
            x, y = a.code, b.code
        else:
            x, y = a.to(kind), b.to(kind)
        if compares:
            return Expression(f"({x} {python} {y})", "BOOL")
        if (kind == "BOOL" or kind in BITS) > bits or (kind.endswith("REAL") and (bits or operator == "MOD")):
            raise StructuredTextError(f"{operator} of {kind}")
        whole = not kind.endswith("REAL")
        if operator in ("/", "MOD") and whole:
            code = f"{'quotient' if operator == '/' else 'int(remainder'}({x}, {y}){')' * (operator == 'MOD')}"
        else:
            code = f"({x} {python} {y})"
        return Expression(code if bits or kind.startswith("ANY") else fit(kind, code), kind)

    def factor(self):
        kind, text = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            return literal(text)
        if self.take("("):
            inner = self.expression()
            self.need(")")
            return Expression(f"({inner.code})", inner.kind)
        if self.take("-"):
            inner = self.factor()
            return Expression(f"(-{inner.code})", inner.kind)
        if self.take("NOT"):
            inner = self.factor()
            return Expression(f"(not {inner.code})" if inner.kind == "BOOL" else fit(inner.kind, f"~{inner.code}"), inner.kind)
        if word := self.take("TRUE", "FALSE"):
            return Expression(word.capitalize(), "BOOL")
        if self.tokens[self.at + 1][1] == "(":
            return self.called()
        if text in self.constants:
            self.at += 1
            return self.constants[text]
        if self.unit.result and self.take(self.unit.name):
            return Expression("v_" + self.unit.name, self.unit.result)
        return self.place()

    def called(self):
        name, x = self.tokens[self.at][1], []
        self.at += 1
        self.need("(")
        while not self.take(")"):
            x.append(self.expression())
            self.take(",")
        if name in FLOATS:
            return Expression(fit(x[0].kind, f"{FLOATS[name]}({x[0].code})"), x[0].kind)
        if name in OTHERS:
            kind = common(x[0], x[1]) if name in ("MIN", "MAX") else "REAL" if x[0].kind == "ANY_REAL" else x[0].kind
            return Expression(fit(kind, f"{OTHERS[name]}({', '.join(item.code for item in x)})"), kind)
        if (match := re.fullmatch(r"(\w+)_TO_(\w+)", name)) and match[2] in TYPES:
            source = x[0].to(match[1])
            rounded = source if not match[1].endswith("REAL") or match[2].endswith("REAL") else f"round({source})"
            return Expression(fit(match[2], f"float({source})" if match[2].endswith("REAL") else rounded), match[2])
        if name not in self.units or not self.units[name].result:
            raise StructuredTextError(f"there is no function {name}")
        inputs = [variable for variable in self.units[name].variables.values() if variable.section == "VAR_INPUT"]
        arguments = (item.to(variable.kind) for item, variable in zip(x, inputs, strict=True))
        return Expression(f"f_{name}({', '.join(arguments)})", self.units[name].result)


def indented(lines):
    return ["  " + line for line in lines]


def literal(text):
    kind, _, digits = text.rpartition("#")
    digits = digits.replace("_", "")
    if kind == "16":
        return Expression(str(int(digits, 16)), "ANY_INT")
    if kind:
        return Expression(repr(kept(kind, float(digits))), kind)
    return Expression(repr(float(digits)), "ANY_REAL") if "." in digits else Expression(str(int(digits)), "ANY_INT")


# ---------------------------------------------------------------- instances

class Block:
    """An instance of a function block or a program: a variable X is the attribute v_X."""

    def __init__(self, unit):
        self.unit = unit
        for name, variable in unit.variables.items():
            if variable.section not in SHARED:
                setattr(self, "v_" + name, variable.make())

    def run(self):
        for name, variable in self.unit.variables.items():
            if variable.section == "VAR_TEMP":
                setattr(self, "v_" + name, variable.make())
        self.unit.run(self)

    def __call__(self, **inputs):
        for name, value in inputs.items():
            variable = self.unit.variables.get(name.upper())
            if variable is None or variable.section not in ("VAR_INPUT", *SHARED):
                raise StructuredTextError(f"{name} is no input of {self.unit.name}")
            if variable.section in SHARED:
                setattr(self, "v_" + name.upper(), value)
            else:
                self[name] = value
        self.run()
        return self

    def __getitem__(self, name):
        value, ranges = getattr(self, "v_" + name.upper()), self.unit.variables[name.upper()].ranges
        if len(ranges) < 2:
            return list(value) if ranges else value
        width = ranges[-1][1] - ranges[-1][0] + 1
        return [value[k:k + width] for k in range(0, len(value), width)]

    def __setitem__(self, name, value):
        variable, old = self.unit.variables[name.upper()], getattr(self, "v_" + name.upper())
        if not variable.ranges:
            setattr(self, "v_" + name.upper(), kept(variable.kind, value))
            return
        values = [kept(variable.kind, x) for x in flat(value)]
        if len(values) != len(old):
            raise StructuredTextError(f"{name} takes {len(old)} values, not {len(values)}")
        old[:] = values


class Program:
    """The units of texts, each of which knows those before it."""

    def __init__(self, *texts, constants=None):
        translator = Translator(constants or {})
        for text in texts:
            translator.read(text)
        self.units = translator.units
        self.constants = {name: eval(value.code, SPACE) for name, value in translator.constants.items()}  # pylint: disable=eval-used

    def block(self, name):
        if name.upper() not in self.units:
            raise StructuredTextError(f"no function block {name}")
        return Block(self.units[name.upper()])
