import { expect, test } from 'bun:test'
import { compareSymbols } from '../../src/api/compare.ts'
import type { PageSymbol } from '../../src/api/page-symbols.ts'
import { usedCpuMs } from '../support/pages/cpu-time.ts'

const symbols = (
  signatures: Record<string, string>,
  deprecated: Record<string, string> = {},
): PageSymbol[] =>
  Object.entries(signatures).map(([qualifiedName, signature], line) => ({
    qualifiedName,
    signature,
    deprecated: deprecated[qualifiedName] ?? null,
    line,
  }))

/** Compares two versions; each expected line is one change. */
function check(before: Record<string, string>, after: Record<string, string>, expected: string[]) {
  const changes = compareSymbols(symbols(before), symbols(after))
  expect(
    changes.map(({ status, name, to, parameters }) =>
      [status, name, ...(to === null ? [] : [to]), ...parameters].join(' '),
    ),
  ).toEqual(expected)
}

test('distinguishes removed, renamed and added names', () => {
  check(
    { 'a.b': 'def b()', 'a.cut': 'def cut(wick: str, mm: int = 1) -> None', 'a.c': 'def c()' },
    { 'a.c': 'def c()', 'a.trim': 'def trim(wick: str, mm: int = 1) -> None', 'a.d': 'def d()' },
    ['removed a.b', 'renamed a.cut a.trim', 'added a.d'],
  )
})

test('shows what changed in the parameters', () => {
  check(
    { 'a.b': 'def b(x, y: int = 1, *args, z: dict[str, int] = {1: 2}) -> None' },
    { 'a.b': 'def b(x, y: int = 2, *, w: Callable[[int, str], None], z: dict[str, int] = {1: 2})' },
    ['changed a.b - *args ~ y: int = 1 → y: int = 2 + w: Callable[[int, str], None]'],
  )
  check(
    { f: 'function f<T>(a: (x: T) => void, b?: number): void' },
    { f: 'function f<T>(a: (x: T) => void, b: number): void' },
    ['changed f ~ b?: number → b: number'],
  )
  check({ f: 'F = 1' }, { f: 'F = 2' }, ['changed f'])
})

test('reports newly deprecated names', () => {
  const one = { f: 'def f()' }
  expect(compareSymbols(symbols(one), symbols(one, { f: 'use g' }))).toMatchObject([
    { status: 'deprecated', name: 'f', note: 'use g' },
  ])
  expect(compareSymbols(symbols(one, { f: '' }), symbols(one, { f: 'x' }))).toEqual([])
})

test('compares broken signatures in linear time', () => {
  const long = `def f(${'(['.repeat(50_000)}`
  const started = usedCpuMs()
  check({ f: long }, { f: `${long}x` }, ['changed f'])
  expect(usedCpuMs() - started).toBeLessThan(1000)
})

test('compares receivers, tuples and parameters whose type comes first', () => {
  check(
    { m: 'public Map<K, V> all(@Nullable Iterable<? extends K> keys, final int by)' },
    { m: 'Map<K, V> all(\n    Iterable<? extends K> keys,\n    long by,\n    K more,\n)' },
    ['changed m ~ final int by → long by + K more'],
  )
  check(
    { m: 'func (c *Command) Find(a []string) (*Command, error)' },
    { m: 'func (x *Command) Find(a []string, b int) (*Command, []string, error)' },
    ['changed m + b int'],
  )
  check(
    { m: 'fn cut<R>(&mut self, by: R) -> (u8, u8) where R: Copy,' },
    { m: 'fn cut<R>(&mut self, by: R) -> (u8, u16) where R: Copy' },
    ['changed m'],
  )
})

test('ignores annotations and the layout of signatures', () => {
  check(
    { m: '@Beta public void on(\n    @NonNull K key,\n    Map<? extends K,V> all,\n)' },
    { m: 'public void on(K key, Map<? extends K, V> all)' },
    [],
  )
  check({ T: "type T = 'a' | 'b'" }, { T: "type T = | 'a' | 'b'" }, [])
})

test('ignores the notation of Python types', () => {
  check(
    { f: 'def f(a: t.Optional[t.Union[str, "Lamp"]] = None, b: List[Dict[str, int]] = []) -> "F"' },
    { f: 'def f(a: str | Lamp | None = None, b: list[dict[str, int]] = []) -> F' },
    [],
  )
  check(
    { f: 'def f(a: Optional[int] = None, b: "Lamp", c="d")' },
    { f: 'def f(a: int | str | None = None, b: Lamp, c=d)' },
    ['changed f ~ a: Optional[int] = None → a: int | str | None = None ~ c="d" → c=d'],
  )
  check(
    { Lamp: 'class Lamp(object)', f: "def f(a='', b='x')" },
    { Lamp: 'class Lamp', f: 'def f(a="", b="y")' },
    [`changed f ~ b='x' → b="y"`],
  )
  const broken = `def f(a: ${'Optional['.repeat(20_000)})`
  const started = usedCpuMs()
  check({ f: broken }, { f: `${broken}x` }, ['changed f'])
  expect(usedCpuMs() - started).toBeLessThan(2000)
})

test('does not report a member as removed if the class now inherits it', () => {
  const before = symbols({
    'a.Lamp': 'class Lamp',
    'a.Lamp.on': 'def on()',
    'a.Lamp.off': 'def off()',
  })
  const after = symbols({ 'a.Base': 'class Base', 'a.Lamp': 'class Lamp' })
  after[1]!.inherited = ['on']
  expect(compareSymbols(before, after).map(({ status, name }) => `${status} ${name}`)).toEqual([
    'removed a.Lamp.off',
    'added a.Base',
  ])
})

test('reports a removed alias, but not a name that became an alias', () => {
  const before = symbols({ 'a.on': 'def on()', 'a.off': 'def off()' })
  const after = symbols({ 'a.on': 'def on()', 'a.b.off': 'def off()' })
  before[0]!.aliases = ['a.prelude.on', 'a.all.on']
  after[0]!.aliases = ['a.all.on']
  after[1]!.aliases = ['a.off']
  expect(compareSymbols(before, after).map(({ status, name }) => `${status} ${name}`)).toEqual([
    'removed a.prelude.on',
    'added a.b.off',
  ])
})
