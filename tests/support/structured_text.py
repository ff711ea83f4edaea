"""An interpreter of structured text (IEC 61131-3), for what function blocks compute: it shares nothing with what prints them.

    blocks = load(source, ...)          # function blocks by name, upper case
    block = Block(blocks, "FB_GRAVITY")
    block(q=[0.1, 0.2])                 # inputs by name; lists for arrays
    block["tau"]                        # a list; of arrays with two dimensions a list of rows

Types: BOOL, SINT .. ULINT, BYTE .. LWORD, REAL, LREAL, arrays of any dimension, function blocks. Names know no case. REAL is
rounded to 32 bits at every assignment and operation of REALs alone; whole numbers wrap as their type does. Statements: :=, IF,
CASE, FOR, WHILE, REPEAT, EXIT, RETURN, calls of blocks. Source of the grammar: IEC 61131-3:2013, annex A.
"""

import math
import re
import struct

TOKEN = re.compile(r"""
    (?P<space>\s+|\(\*.*?\*\)|//[^\n]*|\{[^}]*\})
  | (?P<number>(?:[A-Za-z]+\#)?(?:16\#[0-9A-Fa-f_]+|2\#[01_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?))
  | (?P<name>\#?"[^"]+"|\#?[A-Za-z_]\w*)
  | (?P<sign>:=|=>|<>|<=|>=|\*\*|\.\.|[-+*/<>=&()\[\],;:.])
""", re.X | re.S)

INTEGERS = {"SINT": (True, 8), "INT": (True, 16), "DINT": (True, 32), "LINT": (True, 64), "USINT": (False, 8), "UINT": (False, 16),
            "UDINT": (False, 32), "ULINT": (False, 64), "BYTE": (False, 8), "WORD": (False, 16), "DWORD": (False, 32), "LWORD": (False, 64),
            "TIME": (True, 64)}


class StructuredTextError(Exception):
    pass


class Real(float):
    """A REAL: 32 bits."""


def real(x):
    try:
        return Real(struct.unpack("f", struct.pack("f", x))[0])
    except OverflowError:
        return Real(math.copysign(math.inf, x))


def fit(kind, x):
    """A value as a variable of this type keeps it."""
    if kind == "REAL":
        return real(x)
    if kind == "LREAL":
        return float(x)
    if kind == "BOOL":
        if not isinstance(x, bool):
            raise StructuredTextError(f"{x!r} is no BOOL")
        return x
    signed, bits = INTEGERS[kind]
    if isinstance(x, float):
        raise StructuredTextError(f"{x!r} is not converted to {kind} by itself")
    x = int(x) % (1 << bits)
    return x - (1 << bits) if signed and x >> (bits - 1) else x


# ---------------------------------------------------------------- text to trees

def tokens(source):
    at, found = 0, []
    while at < len(source):
        match = TOKEN.match(source, at)
        if not match:
            raise StructuredTextError(f"cannot read {source[at:at + 30]!r}")
        at = match.end()
        if match.lastgroup == "name":
            found.append(("name", match["name"].lstrip("#").strip('"').upper()))
        elif match.lastgroup != "space":
            found.append((match.lastgroup, match[0]))
    return [*found, ("end", "")]


class Parser:
    LEVELS = [["OR"], ["XOR"], ["AND", "&"], ["=", "<>"], ["<", ">", "<=", ">="], ["+", "-"], ["*", "/", "MOD"]]

    def __init__(self, source):
        self.tokens, self.at = tokens(source), 0

    def peek(self, *texts):
        return self.tokens[self.at][1] in texts and self.tokens[self.at][0] != "number"

    def take(self, *texts):
        if not self.peek(*texts):
            return None
        self.at += 1
        return self.tokens[self.at - 1][1]

    def need(self, *texts):
        if not (found := self.take(*texts)):
            raise StructuredTextError(f"{' or '.join(texts)} is missing before {[t for _, t in self.tokens[self.at:self.at + 6]]}")
        return found

    def name(self):
        kind, text = self.tokens[self.at]
        if kind != "name":
            raise StructuredTextError(f"a name is missing before {text!r}")
        self.at += 1
        return text

    # -- expressions: ("number", x), ("place", name, [selectors]), ("call", name, [(name, expression)]), (operator, a, b), ...

    def expression(self, level=0):
        if level == len(self.LEVELS):
            return self.unary()
        left = self.expression(level + 1)
        while operator := self.take(*self.LEVELS[level]):
            left = (operator, left, self.expression(level + 1))
        return left

    def unary(self):
        if self.take("-"):
            return ("minus", self.unary())
        if self.take("+"):
            return self.unary()
        if self.take("NOT"):
            return ("NOT", self.unary())
        base = self.primary()
        return ("**", base, self.unary()) if self.take("**") else base

    def primary(self):
        kind, text = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            return ("number", literal(text))
        if self.take("("):
            inner = self.expression()
            self.need(")")
            return inner
        name = self.name()
        if name in ("TRUE", "FALSE"):
            return ("number", name == "TRUE")
        if self.peek("("):
            return ("call", name, self.arguments())
        return ("place", name, self.selectors())

    def arguments(self):
        found = []
        self.need("(")
        while not self.take(")"):
            named = self.tokens[self.at][0] == "name" and self.tokens[self.at + 1][1] in (":=", "=>")
            name, how = (self.name(), self.need(":=", "=>")) if named else (None, ":=")
            if how == ":=":
                found.append((name, self.expression()))
            else:
                found.append(("=>", name, self.primary()))
            self.take(",")
        return found

    def selectors(self):
        found = []
        while self.peek("[", "."):
            if self.take("."):
                found.append(("member", self.name()))
                continue
            self.need("[")
            indices = [self.expression()]
            while self.take(","):
                indices.append(self.expression())
            self.need("]")
            found.append(("index", indices))
        return found

    # -- statements

    def statements(self, *ends):
        found = []
        while not self.peek(*ends):
            if not self.take(";"):
                found.append(self.statement())
        return found

    def statement(self):
        if self.take("IF"):
            return self.if_statement()
        if self.take("CASE"):
            return self.case_statement()
        if self.take("FOR"):
            place, _ = ("place", self.name(), self.selectors()), self.need(":=")
            first, _ = self.expression(), self.need("TO")
            last = self.expression()
            step = self.expression() if self.take("BY") else ("number", 1)
            self.need("DO")
            return ("for", place, first, last, step, self.body("END_FOR"))
        if self.take("WHILE"):
            condition, _ = self.expression(), self.need("DO")
            return ("while", condition, self.body("END_WHILE"))
        if self.take("REPEAT"):
            body, _ = self.statements("UNTIL"), self.need("UNTIL")
            condition, _ = self.expression(), self.need("END_REPEAT")
            return ("repeat", body, condition)
        if self.peek("EXIT", "RETURN"):
            return (self.name().lower(),)
        name = self.name()
        if self.peek("("):
            return ("call", name, self.arguments())
        place = ("place", name, self.selectors())
        self.need(":=")
        return ("assign", place, self.expression())

    def body(self, end):
        body = self.statements(end)
        self.need(end)
        return body

    def if_statement(self):
        branches, otherwise = [], []
        condition, _ = self.expression(), self.need("THEN")
        branches.append((condition, self.statements("ELSIF", "ELSE", "END_IF")))
        while self.take("ELSIF"):
            condition, _ = self.expression(), self.need("THEN")
            branches.append((condition, self.statements("ELSIF", "ELSE", "END_IF")))
        if self.take("ELSE"):
            otherwise = self.statements("END_IF")
        self.need("END_IF")
        return ("if", branches, otherwise)

    def case_statement(self):
        value, _ = self.expression(), self.need("OF")
        branches, otherwise = [], []
        while not self.peek("ELSE", "END_CASE"):
            labels = [self.label()]
            while self.take(","):
                labels.append(self.label())
            self.need(":")
            body = []
            while not self.peek("ELSE", "END_CASE") and not self.at_label():
                if not self.take(";"):
                    body.append(self.statement())
            branches.append((labels, body))
        if self.take("ELSE"):
            otherwise = self.statements("END_CASE")
        self.need("END_CASE")
        return ("case", value, branches, otherwise)

    def label(self):
        first = self.expression()
        return (first, self.expression()) if self.take("..") else (first, first)

    def at_label(self):
        """Does a label of CASE begin here: expressions, then a colon that is no :="""
        at = self.at
        while self.tokens[at][0] in ("number", "name") or self.tokens[at][1] in (",", "..", "-", "."):
            at += 1
        return at > self.at and self.tokens[at][1] == ":"

    # -- declarations

    def type(self):
        if self.take("ARRAY"):
            self.need("[")
            ranges = [self.range()]
            while self.take(","):
                ranges.append(self.range())
            self.need("]")
            self.need("OF")
            return ("array", ranges, self.type())
        return ("type", self.name())

    def range(self):
        first, _ = self.expression(), self.need("..")
        return first, self.expression()

    def initial(self):
        if not self.take("["):
            return self.expression()
        found = []
        while not self.take("]"):
            item = self.initial()
            if item[0] == "number" and self.take("("):  # 3(0)
                repeated = self.initial()
                self.need(")")
                found += [repeated] * item[1]
            else:
                found.append(item)
            self.take(",")
        return ("list", found)

    def declarations(self):
        """[(section, name, type, initial or None)]"""
        found = []
        while section := self.take("VAR", "VAR_INPUT", "VAR_OUTPUT", "VAR_IN_OUT", "VAR_TEMP", "VAR_GLOBAL", "VAR_EXTERNAL"):
            while self.take("CONSTANT", "RETAIN", "PERSISTENT"):
                pass
            while not self.take("END_VAR"):
                names = [self.name()]
                while self.take(","):
                    names.append(self.name())
                self.need(":")
                kind = self.type()
                initial = self.initial() if self.take(":=") else None
                self.need(";")
                found += [(section, name, kind, initial) for name in names]
        return found

    def unit(self):
        kind = self.need("FUNCTION_BLOCK", "PROGRAM")
        name = self.name()
        declarations = self.declarations()
        self.take("BEGIN")
        return name, (declarations, self.body("END_" + kind))


def literal(text):
    kind, _, digits = text.rpartition("#") if not re.match(r"(16|2)#", text) else ("", "", text)
    if kind in ("16", "2"):
        return int(digits.replace("_", ""), int(kind))
    if "#" in kind or re.match(r"(16|2)#", digits):
        base, _, digits = text.rpartition("#")
        return int(digits.replace("_", ""), int(base.rpartition("#")[2]))
    digits = digits.replace("_", "")
    value = float(digits) if re.search(r"[.eE]", digits) else int(digits)
    return fit(kind.upper(), value) if kind else value


def load(*sources):
    """{name: block}, and under "" what is declared globally."""
    blocks = {"": []}
    for source in sources:
        parser = Parser(source)
        while parser.tokens[parser.at][0] != "end":
            if parser.peek("VAR_GLOBAL"):
                blocks[""] += parser.declarations()
            else:
                name, block = parser.unit()
                blocks[name] = block
    return blocks


# ---------------------------------------------------------------- trees to values

class Array:
    def __init__(self, ranges, make):
        self.ranges = ranges
        self.values = [make() for _ in range(math.prod(last - first + 1 for first, last in ranges))]

    def place(self, indices):
        if len(indices) != len(self.ranges):
            raise StructuredTextError(f"{len(indices)} indices of {len(self.ranges)}")
        at = 0
        for index, (first, last) in zip(indices, self.ranges, strict=True):
            if not first <= index <= last:
                raise StructuredTextError(f"index {index} is not in {first}..{last}")
            at = at * (last - first + 1) + index - first
        return at

    def rows(self):
        width = self.ranges[-1][1] - self.ranges[-1][0] + 1
        return list(self.values) if len(self.ranges) == 1 else \
            [self.values[k:k + width] for k in range(0, len(self.values), width)]


class Leave(Exception):
    """EXIT and RETURN."""


FUNCTIONS = {"SIN": math.sin, "COS": math.cos, "TAN": math.tan, "ASIN": math.asin, "ACOS": math.acos, "ATAN": math.atan,
             "EXP": math.exp, "LN": math.log, "LOG": math.log10, "SQRT": math.sqrt}


def call_function(name, x):
    if name in FUNCTIONS:
        result = FUNCTIONS[name](x[0])
        return real(result) if isinstance(x[0], Real) else result
    if name == "ABS":
        return type(x[0])(abs(x[0])) if not isinstance(x[0], bool) else x[0]
    if name in ("MIN", "MAX"):
        return (min if name == "MIN" else max)(x)
    if name == "LIMIT":
        return min(max(x[1], x[0]), x[2])
    if name == "SEL":
        return x[2] if x[0] else x[1]
    if name == "EXPT":
        return x[0] ** x[1]
    if name in ("SHL", "SHR"):
        return x[0] << x[1] if name == "SHL" else x[0] >> x[1]
    if name == "TRUNC":
        return math.trunc(x[0])
    if match := re.fullmatch(r"(?:(\w+)_)?TO_(\w+)", name):
        to = match[2]
        if to == "BOOL":
            return bool(x[0])
        if to in INTEGERS and isinstance(x[0], float):
            return fit(to, round(x[0]))
        return fit(to, int(x[0]) if isinstance(x[0], bool) else x[0])
    raise StructuredTextError(f"no function {name}")


def compute(operator, a, b):
    """Of two REALs a REAL, of a REAL and a whole number too; all other numbers are wider."""
    narrow = any(isinstance(x, Real) for x in (a, b)) and not any(isinstance(x, float) and not isinstance(x, Real) for x in (a, b))
    if operator == "/":
        if isinstance(a, int) and isinstance(b, int):
            return int(a / b) if abs(a) < 2**53 else -(-a // b) if (a < 0) != (b < 0) else a // b
        result = a / b
    elif operator == "MOD":
        return int(math.fmod(a, b))
    elif operator == "**":
        result = a ** b
    else:
        result = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b}[operator]()
    return real(result) if narrow else float(result) if isinstance(result, Real) else result


COMPARE = {"=": lambda a, b: a == b, "<>": lambda a, b: a != b, "<": lambda a, b: a < b, ">": lambda a, b: a > b,
           "<=": lambda a, b: a <= b, ">=": lambda a, b: a >= b, "XOR": lambda a, b: a ^ b}


class Block:
    """An instance of a function block."""

    def __init__(self, blocks, name, shared=None):
        self.blocks, self.name = blocks, name.upper()
        if self.name not in blocks:
            raise StructuredTextError(f"no function block {name}")
        self.types, self.values, self.inputs, self.temporary = {}, {}, set(), []
        self.shared = shared
        if shared is None and blocks[""]:
            self.shared = Block.__new__(Block)
            self.shared.__dict__.update(blocks=blocks, name="", types={}, values={}, inputs=set(), temporary=[], shared=None)
            for declaration in blocks[""]:
                self.shared.declare(*declaration)
        declarations, self.body = blocks[self.name]
        for declaration in declarations:
            self.declare(*declaration)

    def declare(self, section, name, kind, initial):
        if section == "VAR_EXTERNAL":
            return
        self.types[name] = kind
        self.values[name] = self.make(kind)
        if initial is not None:
            self.store(name, self.initial(initial))
        if section in ("VAR_INPUT", "VAR_IN_OUT"):
            self.inputs.add(name)
        if section == "VAR_TEMP":
            self.temporary.append((name, kind, initial))

    def initial(self, tree):
        return [self.initial(item) for item in tree[1]] if tree[0] == "list" else self.value(tree)

    def make(self, kind):
        if kind[0] == "array":
            ranges = [(self.value(first), self.value(last)) for first, last in kind[1]]
            return Array(ranges, lambda: self.make(kind[2]))
        if kind[1] in self.blocks:
            return Block(self.blocks, kind[1], self.shared)
        return False if kind[1] == "BOOL" else fit(kind[1], 0)

    def store(self, name, value):
        kind, old = self.types[name], self.values[name]
        if isinstance(old, Array):
            values = value.values if isinstance(value, Array) else flat(value)
            if len(values) != len(old.values):
                raise StructuredTextError(f"{name} takes {len(old.values)} values, not {len(values)}")
            old.values[:] = [fit(kind[2][1], x) if kind[2][0] == "type" and kind[2][1] not in self.blocks else x for x in values]
        else:
            self.values[name] = fit(kind[1], value) if not isinstance(old, Block) else value

    def __call__(self, **inputs):
        for name, value in inputs.items():
            if name.upper() not in self.inputs:
                raise StructuredTextError(f"{self.name} has no input {name}")
            self.store(name.upper(), value)
        self.run()
        return self

    def __getitem__(self, name):
        value = self.values[name.upper()]
        return value.rows() if isinstance(value, Array) else value

    def run(self):
        for name, kind, initial in self.temporary:
            self.values[name] = self.make(kind)
            if initial is not None:
                self.store(name, self.initial(initial))
        try:
            self.execute(self.body)
        except Leave as leave:
            if leave.args[0] != "return":
                raise

    # -- statements

    def execute(self, body):
        for statement in body:
            getattr(self, "do_" + statement[0])(*statement[1:])

    def do_assign(self, place, tree):
        owner, name, selectors = self.find(place)
        owner.assign(name, selectors, self.value(tree), self)

    def assign(self, name, selectors, value, caller):
        if not selectors:
            self.store(name, value)
            return
        holder, kind = self.values[name], self.types[name]
        for how, what in selectors[:-1]:
            holder, kind = (holder.values[holder.place([caller.value(i) for i in what])], kind[2]) if how == "index" else \
                (holder.values[what], holder.types[what])
        how, what = selectors[-1]
        if how == "member":
            holder.store(what, value)
        else:
            holder.values[holder.place([caller.value(i) for i in what])] = fit(kind[2][1], value)

    def do_if(self, branches, otherwise):
        for condition, body in branches:
            if self.truth(condition):
                self.execute(body)
                return
        self.execute(otherwise)

    def do_case(self, tree, branches, otherwise):
        value = self.value(tree)
        for labels, body in branches:
            if any(self.value(first) <= value <= self.value(last) for first, last in labels):
                self.execute(body)
                return
        self.execute(otherwise)

    def do_for(self, place, first, last, step, body):
        at, last, step = self.value(first), self.value(last), self.value(step)
        owner, name, selectors = self.find(place)
        try:
            while at <= last if step > 0 else at >= last:
                owner.assign(name, selectors, at, self)
                self.execute(body)
                at = self.value(place) + step
        except Leave as leave:
            if leave.args[0] != "exit":
                raise

    def do_while(self, condition, body):
        try:
            while self.truth(condition):
                self.execute(body)
        except Leave as leave:
            if leave.args[0] != "exit":
                raise

    def do_repeat(self, body, condition):
        try:
            self.execute(body)
            while not self.truth(condition):
                self.execute(body)
        except Leave as leave:
            if leave.args[0] != "exit":
                raise

    def do_exit(self):
        raise Leave("exit")

    def do_return(self):
        raise Leave("return")

    def do_call(self, name, arguments):
        owner, _, _ = self.find(("place", name, []))
        block = owner.values[name]
        for argument in arguments:
            if len(argument) == 2:
                block.store(argument[0], self.value(argument[1]))
        block.run()
        for argument in arguments:
            if len(argument) == 3:
                self.do_assign(argument[2], ("value", block.values[argument[1]]))

    # -- expressions

    def find(self, place):
        _, name, selectors = place
        owner = self if name in self.values else self.shared
        if owner is None or name not in owner.values:
            raise StructuredTextError(f"{self.name} knows no {name}")
        return owner, name, selectors

    def truth(self, tree):
        value = self.value(tree)
        if not isinstance(value, bool):
            raise StructuredTextError(f"{value!r} is no condition")
        return value

    def value(self, tree):
        kind = tree[0]
        if kind in ("number", "value"):
            return tree[1]
        if kind == "place":
            owner, name, selectors = self.find(tree)
            value = owner.values[name]
            for how, what in selectors:
                value = value.values[what] if how == "member" else value.values[value.place([self.value(i) for i in what])]
            return value
        if kind == "call":
            return call_function(tree[1], [self.value(argument[1]) for argument in tree[2]])
        if kind == "minus":
            value = self.value(tree[1])
            return type(value)(-value)
        if kind == "NOT":
            value = self.value(tree[1])
            return not value if isinstance(value, bool) else ~value
        a = self.value(tree[1])
        if kind in ("AND", "&", "OR"):
            b = self.value(tree[2])
            return a | b if kind == "OR" else a & b
        b = self.value(tree[2])
        return COMPARE[kind](a, b) if kind in COMPARE else compute(kind, a, b)


def flat(value):
    return [x for item in value for x in flat(item)] if isinstance(value, (list, tuple)) else [value]
