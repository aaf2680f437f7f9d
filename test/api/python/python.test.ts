import { expect, test } from 'bun:test'
import { outlinePython } from '../../../src/api/python/python.ts'
import type { ApiSymbol } from '../../../src/api/symbol.ts'

/** Maps the name of each symbol in a file to its signature. */
function check(text: string, expected: Record<string, string>) {
  const { symbols } = outlinePython(text)
  expect(Object.fromEntries(symbols.map((it) => [it.name, it.signature]))).toEqual(expected)
}

function only(text: string): ApiSymbol {
  const [symbol, ...others] = outlinePython(text).symbols
  expect(others).toEqual([])
  return symbol!
}

test('returns functions with their types, defaults and parameter markers', () => {
  check(
    'async def light(self, wick: "str" = None, /, *oils: int, dim=.5, **more) -> bool | None:\n' +
      '    return None\n',
    {
      light:
        'async def light(self, wick: "str" = None, /, *oils: int, dim=.5, **more) -> bool | None',
    },
  )
})

test('puts each parameter of a long signature on its own line', () => {
  const names = Array.from({ length: 9 }, (_, i) => `parameter_${i}=None`)
  check(`def light(${names.join(', ')}): ...`, {
    light: `def light(\n${names.map((it) => `    ${it},\n`).join('')})`,
  })
})

test('joins overloads and omits the implementation', () => {
  check(
    `
@overload
def light(a: int) -> int: ...
@typing.overload
def light(a: str) -> str: ...
def light(a):
    """Lights."""
`,
    { light: 'def light(a: int) -> int\ndef light(a: str) -> str' },
  )
})

test('shows the constructor parameters of a class', () => {
  const lamp = only(`
class Lamp(Base[int], metaclass=M):
    """A lamp."""
    __slots__ = ("wick", "_lit", "hot")
    def __init__(self, wick: str, *, oil=1) -> None:
        """:param wick: what burns"""
        self.hot: bool = False
        """Whether it burns."""
        self.silent = self._lit = 1
        self.wick = wick
    @property
    def height(self) -> int:
        """In mm."""
    @height.setter
    def height(self, value): ...
    @classmethod
    def of(cls, text): ...
    @staticmethod
    def count(a): ...
`)
  expect(lamp).toMatchObject({
    kind: 'class',
    line: 2,
    bases: ['Base'],
    signature: 'class Lamp(Base[int], metaclass=M)\nLamp(wick: str, *, oil=1)',
    documentation: 'A lamp.\n\n**Parameters**\n\n- `wick` (`str`): what burns',
  })
  expect(lamp.members.map((it) => [it.kind, it.signature, it.documentation])).toEqual([
    ['property', 'height: int', 'In mm.'],
    ['method', '@classmethod\ndef of(text)', ''],
    ['method', '@staticmethod\ndef count(a)', ''],
    ['value', 'hot: bool', 'Whether it burns.'],
    ['value', 'wick', ''],
  ])
})

test('documents fields with the string below, Field and Doc', () => {
  const lamp = only(`
class Lamp(BaseModel):
    wick: str = "w"
    """What burns."""
    oil: int = Field(default=1, description="In ml.")
    hot: Annotated[bool, Doc("""Whether it *burns*.""")] = False
    old: Annotated[int, deprecated("Gone soon.")] = 2
`)
  expect(lamp.members.map((it) => [it.signature, it.documentation])).toEqual([
    ['wick: str = "w"', 'What burns.'],
    ['oil: int = 1', 'In ml.'],
    ['hot: bool = False', 'Whether it *burns*.'],
    ['old: int = 2', 'Deprecated: Gone soon.'],
  ])
})

test('reads parameter documentation from annotations', () => {
  expect(only('def light(wick: Annotated[str, Doc("What burns.")]): "Lights."\n')).toMatchObject({
    signature: 'def light(wick: str)',
    documentation: 'Lights.\n\n**Parameters**\n\n- `wick` (`str`): What burns.',
  })
})

test('recognises members of an enumeration and deprecated functions', () => {
  expect(only('class Kind(str, Enum):\n    OIL = "oil"\n')).toMatchObject({
    kind: 'enum',
    members: [{ signature: 'OIL = "oil"' }],
  })
  expect(only('@deprecated("use " "light")\ndef burn(): ...\n').deprecated).toBe('use light')
})

test('documents variables with the comments that Sphinx reads', () => {
  const { symbols } = outlinePython(
    '#: The wick,\n#: of cotton.\nwick = 1\noil = 2  #: In litres.\ngas = 3\n# no\nair = 4\n' +
      'class Lamp:\n    #: In watts.\n    power = 5 # note\n    age = 6 # note\n    """In years."""\n',
  )
  const docs = [...symbols, ...symbols.at(-1)!.members]
  expect(docs.map(({ name, documentation }) => `${name}: ${documentation}`)).toEqual([
    'wick: The wick,\nof cotton.',
    'oil: In litres.',
    'gas: ',
    'air: ',
    'Lamp: ',
    'power: In watts.',
    'age: In years.',
  ])
})

test('continues after a syntax error', () => {
  const names = outlinePython(
    'def a(: ...\n\ndef b(x): ...\nclass C:\n  def d(self) -> ((: ...\n',
  ).symbols.map(({ name }) => name)
  expect(names).toContain('b')
  expect(names).toContain('C')
})

test('reads a deeply nested file without failing', () => {
  expect(outlinePython(`a = ${'['.repeat(20_000)}`).symbols.length).toBeLessThan(2)
  const nested = Array.from({ length: 300 }, (_, i) => `${' '.repeat(i)}if x:\n`).join('')
  expect(outlinePython(`${nested}${' '.repeat(300)}a = 1\n`).symbols).toEqual([])
})

test('marks deprecated overloads, and the name only if all are deprecated', () => {
  const { members: symbols } = only(`
class A:
    @overload
    def f(self, x: int): ...
    @overload
    @deprecated("use x")
    def f(self, y: int): ...
    @overload
    @deprecated("no")
    def g(self, x: int): ...
    @overload
    def g(self, y: int): ...
`)
  expect(symbols.map(({ signature, deprecated }) => [signature, deprecated])).toEqual([
    ['def f(x: int)\n# deprecated: use x\ndef f(y: int)', null],
    ['# deprecated: no\ndef g(x: int)\ndef g(y: int)', null],
  ])
})

test('shows the default and the constraints of a field, and the values of a union', () => {
  const [a, size] = outlinePython(`
class A:
    a: int = field(default=None, converter=int, kw_only=True)
    b: list = attrs.field(factory=list)
    c: int = Field(default=1, ge=1, description="C.")
    d: int = field(repr=False)
    e: int = field(default=0, init=False)
Size = (
    Literal[
        ${Array.from({ length: 40 }, (_, i) => `"size${i}",`).join('\n        ')}
    ]
    | int
)
`).symbols
  expect(a!.members.map(({ signature }) => signature)).toEqual([
    'a: int = None',
    'b: list = list()',
    'c: int = Field(default=1, ge=1)',
    'd: int',
    'e: int = field(default=0, init=False)',
  ])
  expect(size!.signature).toEndWith('"size39"] | int)')
})
