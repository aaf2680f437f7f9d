import { expect, test } from 'bun:test'
import { growthLimitFor } from '../../src/document/growth.ts'
import { parsePage } from '../../src/page/parse.ts'

const mb = 2 ** 20
const times = (unit: string, size: number) => unit.repeat(Math.ceil(size / unit.length))

/** Parses a page that may include `others`, and counts the files that it requests. */
function parsed(path: string, text: string, others: Record<string, string> = {}) {
  const asked = { n: 0 }
  const read = async (name: string) => {
    asked.n++
    return others[name] ?? null
  }
  const bytes = new TextEncoder().encode(text)
  return { page: parsePage({ bytes, path, url: 'x' }, { from: path, read }), asked }
}

/** Expects the page to fail with a message that ends like this. */
async function check({ page }: ReturnType<typeof parsed>, reason: string) {
  expect(await page.then(String, ({ message }: Error) => message)).toMatch(
    new RegExp(`^Cannot read page "[a-z.]+": ${reason}$`),
  )
}

test('lets a page grow to 16 times its size, at least 4 MB and at most 32 MB', () => {
  for (const [length, limit] of [
    [100, 4 * mb],
    [mb, 16 * mb],
    [8 * mb, 32 * mb],
  ] as const) {
    const growth = growthLimitFor(length)
    expect(growth.left()).toBe(limit - length)
    expect(growth.take(limit - length)).toBe(true)
    expect(growth.refusal()).toBeNull()
    expect(growth.take(1)).toBe(false)
    expect(growth.refusal()).toContain(`it grows to more than ${limit / mb} MB`)
    expect(growth.left()).toBe(0)
  }
})

test('reports the first exceeded limit and reserves nothing more', () => {
  const growth = growthLimitFor(100)
  expect(growth.take(5 * mb)).toBe(false)
  expect(growth.take(-5 * mb)).toBe(false)
  for (let i = 0; i <= 20_000; i++) growth.takeFile()
  expect(growth.refusal()).toBe('it grows to more than 4 MB, limit for a file of 1 kB')
})

const grown = 'it grows to more than 4 MB, limit for a file of'

test('rejects names and attributes that expand to too much text', async () => {
  const value = times('x', 50_000)
  await check(
    parsed('a.rst', `.. |a| replace:: ${value}\n\n${times('|a| ', 50_000)}\n`),
    `${grown} 101 kB`,
  )
  const names = `.. |a| replace:: ${times('|b| ', 9_000)}\n.. |b| replace:: ${times('x', 9_000)}\n`
  await check(parsed('b.rst', `${names}\n|a|\n`), `${grown} 19 kB`)
  await check(parsed('a.adoc', `:a: ${value}\n\n${times('{a}', 9_000)}\n`), `${grown} 60 kB`)
  await check(parsed('b.adoc', `:a: ${value}\n\n${times('{a}\n', 9_000)}\n`), `${grown} 60 kB`)
  const table = `|===\n${times('|{a}\n', 9_000)}|===\n`
  await check(parsed('c.adoc', `:a: ${value}\n\n${table}`), `${grown} 60 kB`)
})

test('rejects nested quotes whose marks add up to too much text', async () => {
  const marks = Array.from({ length: 21 }, (_, depth) => `${'_'.repeat(4 + depth)}\n`).join('')
  await check(parsed('a.adoc', `${marks}y\n${times('\n', 200_000)}y\n`), `${grown} 201 kB`)
})

test('rejects too much text from nested, repeated or many includes', async () => {
  const many = { 'a.md': times('--8<-- "b.md"\n', 5_000), 'b.md': times('x', 50_000) }
  const bomb = parsed('x.md', '--8<-- "a.md"\n', many)
  await check(bomb, `${grown} 1 kB`)
  expect(bomb.asked.n).toBeLessThan(100)
  const ranges = `{! b.md [ln:${times('1-,', 9_000)}] !}\n`
  await check(parsed('y.md', ranges, { 'b.md': times('abc\n', 50_000) }), `${grown} 10 kB`)
  const absent = parsed('z.md', times('--8<-- "c.md"\n', 300_000))
  await check(absent, 'it includes more than 20000 files')
  expect(absent.asked.n).toBe(20_000)
  const parts = parsed('w.md', times('--8<-- "d.md:1:1"\n', 9_000), { 'd.md': times('abc\n', mb) })
  await check(parts, 'the files that it includes parts of have more than 256 MB')
  expect(parts.asked.n).toBeLessThan(300)
  const wide = `${times(' ', 5_000)}--8<-- "e.md"\n`
  await check(parsed('v.md', wide, { 'e.md': times('a\n', 9_000) }), `${grown} 6 kB`)
})

test('lets a small page include a large one, and leaves unknown and built-in names unchanged', async () => {
  const text = ':a: {b}\n:b: {a}\n\n{a} {b} {constructor} {__proto__}\ninclude::b.adoc[]\n'
  const page = await parsed('a.adoc', text, { 'b.adoc': times('word ', 3 * mb) }).page
  expect(page.text.length).toBeGreaterThan(3 * mb)
  expect(page.text.trimStart()).toStartWith('{b} {b} {constructor} {__proto__}\nword word ')
})

test('rejects a page that repeats a documented object too often', async () => {
  const shared = { bases: [], title: null, isShared: false, variables: new Map<string, string>() }
  const site = { ...shared, generator: 'mkdocs', root: '', path: 'a.md' } as const
  const files = { 'm.py': `def f():\n    """${times('word ', 8000)}"""\n` }
  const read = async (name: string) => (files as Record<string, string>)[name] ?? null
  const pages = {
    'a.md': times('::: m.f\n', 100_000),
    'a.rst': times('.. autofunction:: m.f\n', mb),
  }
  for (const [path, text] of Object.entries(pages)) {
    const file = { bytes: new TextEncoder().encode(text), path, url: 'x' }
    const page = parsePage({ ...file, site }, { from: path, read })
    await check({ page, asked: { n: 0 } }, '.* grows to more than .*')
  }
})

const site = { root: '', path: 'a.md', bases: [], title: null, isShared: false }

test('rejects pages that grow too long through values of their site', async () => {
  const value = times('x', 50_000)
  for (const [generator, reference, name] of [
    ['jekyll', '{{ site.a }} ', 'a'],
    ['mkdocs', '{{ a }} ', 'a'],
    ['quarto', '{{< meta a >}} ', 'a'],
    ['hugo', '{{< param a >}} ', 'a'],
  ] as const) {
    const variables = new Map([[name, value]])
    const bytes = new TextEncoder().encode(times(reference, 9_000))
    const file = { bytes, path: 'a.md', url: 'x', site: { ...site, generator, variables } }
    await check({ page: parsePage(file), asked: { n: 0 } }, `${grown} [0-9]+ kB`)
  }
})

test('rejects a page whose captions repeat the words of its links', async () => {
  const variables = new Map([[':issue:', times('%s ', 3_000)]])
  const bytes = new TextEncoder().encode(times(`:issue:\`${times('x', 200)}\` `, 9_000))
  const file = { bytes, path: 'a.rst', url: 'x' }
  const page = parsePage({ ...file, site: { ...site, generator: 'sphinx', variables } })
  await check({ page, asked: { n: 0 } }, `${grown} [0-9]+ kB`)
})
