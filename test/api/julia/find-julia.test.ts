import { expect, test } from 'bun:test'
import { readJuliaDocs, type AutodocsOptions } from '../../../src/api/julia/find-julia.ts'
import { fileReader } from '../../support/page/file-reader.ts'

const files = {
  'src/Tool.jl':
    'module Tool\nexport on, Lamp\nconst NOTE = "Needs power."\ninclude("lamp.jl")\n' +
    'module Inner\ninclude("inner.jl")\nend\nend\n',
  'src/lamp.jl':
    '"""\n    on(x::Int)\n\nTurns on. $NOTE\n"""\non(x::Int) = 1\n\n"Turns on, twice."\non(x, y) = 2\n\n' +
    '"""\n$(TYPEDEF)\n\n$(TYPEDFIELDS)\n"""\nstruct Lamp <: Light\n  "Watts."\n  w::Int\n  name\nend\n\n' +
    '"Turns off."\nBase.close(::Lamp) = 3\n',
  'src/inner.jl': '"Hidden."\nsecret() = 1\n',
  'test/on.jl': '"Test."\non(t::Test) = 1\n',
  'docs/src/a.jl': '"Example."\nexample() = 1\n',
}
const open = async () => (await readJuliaDocs(fileReader(files), 'docs/src/lib/a.md'))!

test('finds docstrings by name, module and types', async () => {
  const docs = await open()
  const check = (written: string, expected: string[]) =>
    expect(
      docs.named(written).map(({ qualifiedName, text }) => `${qualifiedName}: ${text}`),
    ).toEqual(expected)
  const first = 'Tool.on:     on(x::Int)\n\nTurns on. Needs power.'
  const second = 'Tool.on: ```julia\non(x, y)\n```\n\nTurns on, twice.'
  check('on', [first, second])
  check('Tool.on(::Int)', [first])
  check('on(a, b)', [second])
  check('close(::Lamp)', ['Base.close: ```julia\nBase.close(::Lamp)\n```\n\nTurns off.'])
  check('Inner.secret', ['Inner.secret: ```julia\nsecret()\n```\n\nHidden.'])
  check('none', [])
  check('example', [])
})

test('shows the declaration and the fields of a type', async () => {
  const [lamp] = (await open()).named('Lamp')
  expect(lamp?.text).toBe('```julia\nstruct Lamp <: Light\n```\n\n- `w::Int`: Watts.\n- `name`')
})

test('selects docstrings by module, file, kind and export', async () => {
  const docs = await open()
  const all = { modules: [], pages: null, order: null, hasPublic: true, hasPrivate: true }
  const check = (options: Partial<AutodocsOptions>, expected: string[]) =>
    expect(docs.autodocs({ ...all, ...options }).map((it) => it.qualifiedName)).toEqual(expected)
  check({ modules: ['Tool.Inner'] }, ['Inner.secret'])
  check({ pages: ['lamp.jl'] }, ['Tool.Lamp', 'Tool.on', 'Tool.on', 'Base.close'])
  check({ modules: ['Tool'], hasPrivate: false }, ['Tool.Lamp', 'Tool.on', 'Tool.on'])
  check({ hasPublic: false, order: ['function'] }, ['Inner.secret', 'Base.close'])
})

test('finds no project without Julia sources', async () => {
  expect(await readJuliaDocs(fileReader({ 'docs/src/a.jl': '' }), 'docs/src/a.md')).toBeNull()
  const nested = fileReader({ 'lib/b/src/B.jl': '"B."\nb() = 1' })
  expect((await readJuliaDocs(nested, 'lib/b/docs/src/a.md'))?.named('b')).toHaveLength(1)
})

test('limits the text that constants add', async () => {
  const many = (name: string) => `"${`$${name}`.repeat(2000)}"\n`
  const source = `const A = ${many('B')}const B = ${many('C')}const C = "text"\n${many('A')}f() = 1\n`
  const docs = await readJuliaDocs(fileReader({ 'src/a.jl': source }), 'docs/a.md')
  expect(docs!.named('f')[0]!.text.length).toBeLessThan(2 ** 20)
})
