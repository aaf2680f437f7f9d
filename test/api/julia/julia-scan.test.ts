import { expect, test } from 'bun:test'
import { scanJulia } from '../../../src/api/julia/julia-scan.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

/** Expects the documented objects, each as `module.name`. */
const check = (source: string, expected: string[]) =>
  expect(scanJulia(source).docs.map(({ module, name }) => `${module}.${name}`)).toEqual(expected)

test('finds docstrings before declarations', () => {
  check('"Turns on."\non() = 1\n\n"""\nLamp\n"""\nstruct Lamp\n  "Watts."\n  w\nend\n', [
    '.on',
    '.Lamp',
  ])
  check('@doc raw"""\n\\alpha\n"""\nf(x) = x\n', ['.f'])
  check('@doc "Text." g\n', ['.g'])
  check('"Same line." function f() end\n', ['.f'])
})

test('finds no docstrings in code, comments and strings', () => {
  check('x = ["a"\n b]\n', [])
  check('#= "a"\nf() =#\n# "b"\n', [])
  check('x = """\n"Text."\nf()\n"""\n', [])
  check('function f()\n  "Text."\n  g()\nend\n', [])
  check('"Text."\n\nf() = 1\n', [])
  check('c = \'"\'\n"Text."\nf(x\') = 1\n', ['.f'])
})

test('assigns docstrings to the module around them', () => {
  const inner = 'module B\nif x\n "b"\n b() = [i for i in x if i][end]\nend\n"c"\nc() = 1\nend\n'
  check(`module A\n${inner}"d"\nd() = 1\nend\n`, ['B.b', 'B.c', 'A.d'])
  expect(scanJulia(`module A\n${inner}end`).module).toBe('A')
})

test('notes exports, included files and constants', () => {
  const { exported, included, constants } = scanJulia(
    'module A\nexport f, @m,\n  g! # last\npublic h\ninclude("a.jl")\n' +
      'include(joinpath("b", "c.jl"))\ninclude("$x.jl")\nconst TEXT = """\nt\n"""\nend\n',
  )
  expect(exported).toEqual(['f', '@m', 'g!', 'h'])
  expect(included).toEqual([
    { path: 'a.jl', module: 'A' },
    { path: 'b/c.jl', module: 'A' },
  ])
  expect(constants.get('TEXT')?.body).toBe('\nt\n')
})

test('scans hostile files in linear time', () => {
  for (const unit of [
    '"a"\nf(',
    '#=',
    '@doc "',
    "'",
    '"$(',
    'begin ',
    '"a"\nA{',
    'include(',
    '`',
  ]) {
    const start = usedCpuMs()
    scanJulia(unit.repeat(100_000))
    expect(usedCpuMs() - start).toBeLessThan(5000)
  }
})
