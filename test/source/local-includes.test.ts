import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { localIncludes } from '../../src/source/local-includes.ts'
import { resolveSource, sourcePages } from '../../src/source/pages.ts'
import { writeFiles, type Files } from '../support/repository.ts'
import { disposeAfterAll } from '../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))
afterEach(() => void setSystemTime())

let nFolders = 0

/** Expects this text and these includes of a page `docs/page.md` with this content. */
async function check(
  page: string,
  files: Files,
  expected: { text: string; includes?: string[] },
): Promise<void> {
  const top = join(temp.path, `f${nFolders++}`)
  mkdirSync(top)
  writeFiles(top, { ...files, 'docs/page.md': page })
  const source = { kind: 'local_path' as const, path: join(top, 'docs') }
  const resolved = await resolveSource(source, { version: null, today: new Date() })
  const events = await Array.fromAsync(sourcePages(resolved))
  const found = events.flatMap((event) => (event.type === 'page' ? [event] : []))
  expect(found.map(({ page: { text }, includes }) => ({ text, includes }))).toEqual([
    { includes: undefined, ...expected },
  ])
}

const tree = { '.git/HEAD': 'ref: refs/heads/main\n' }

test('W-25: includes files of the working tree', () =>
  check(
    '{* ../src/a.py *}',
    { ...tree, 'src/a.py': 'a' },
    { text: '```python\na\n```', includes: ['src/a.py'] },
  ))

test('includes only files of the folder if there is no working tree', async () => {
  const outside = '{* ../src/a.py *}'
  await check(outside, { 'src/a.py': 'a' }, { text: outside })
  await check(
    '{* src/a.py *}',
    { 'docs/src/a.py': 'a' },
    { text: '```python\na\n```', includes: ['src/a.py'] },
  )
})

test('includes no hidden files, missing files or links that lead outside', async () => {
  const paths = ['.env', '.git/HEAD', 'link.py', 'folder', 'gone.py', 'out/a.py', 'shown.py']
  const page = paths.map((path) => `{* ../${path} *}`).join('\n')
  await check(
    page,
    {
      ...tree,
      '.env': 'TOKEN',
      'link.py': { link: '/etc/hostname' },
      'folder/x': 'x',
      out: { link: '/etc' },
      'shown.py': { link: '.env' },
    },
    { text: page, includes: paths },
  )
})

test('finds packages in folders of the working tree, not in hidden or linked folders', async () => {
  const { read } = localIncludes(temp.path).of('page.md')
  writeFiles(temp.path, { 'lib/x.py': '1', '.hidden/x.py': '1', away: { link: '/etc' } })
  expect(await Promise.all(['lib/', '.hidden/', 'away/', 'none/'].map(read))).toEqual([
    '',
    null,
    null,
    null,
  ])
})

test('lists the Julia files below a folder, and notices when one is added', async () => {
  const top = join(temp.path, `f${nFolders++}`)
  mkdirSync(top)
  writeFiles(top, { 'src/a.jl': '1', 'src/.hidden/b.jl': '1', 'src/link.jl': { link: 'a.jl' } })
  const pattern = 'src/*.jl'
  const { of, stateOf } = localIncludes(top)
  expect(await of('docs/page.md').read(pattern)).toBe('src/a.jl')
  const before = await stateOf([pattern])
  expect(await localIncludes(top).stateOf([pattern])).toBe(before)
  writeFiles(top, { 'src/c/b.jl': '1' })
  expect(await localIncludes(top).stateOf([pattern])).not.toBe(before)
})

test('a page with includes is parsed again only if an included file changed or appeared', async () => {
  const top = join(temp.path, `f${nFolders++}`)
  mkdirSync(top)
  const page = '{* ../src/a.py *}\n\n{* ../src/later.py *}'
  writeFiles(top, { ...tree, 'docs/page.md': page, 'docs/plain.md': 'plain', 'src/a.py': 'a' })
  // Files that changed in the last two seconds have no reliable state.
  const changedMs = () => statSync(join(top, 'src/a.py')).ctimeMs
  const setAge = (ms: number) => setSystemTime(new Date(changedMs() + ms))
  setAge(2_100)
  const known = new Map<string, string>()
  const read = async () => {
    const source = { kind: 'local_path' as const, path: join(top, 'docs') }
    const resolved = await resolveSource(source, { version: null, today: new Date() })
    const parsed: string[] = []
    for await (const event of sourcePages(resolved, { before: known })) {
      if (event.type === 'page') parsed.push(event.page.path)
      if (event.type === 'page') known.set(event.page.url, event.validator ?? '')
    }
    return parsed
  }
  expect(await read()).toEqual(['page.md', 'plain.md'])
  expect(await read()).toEqual([])
  const before = changedMs()
  do writeFiles(top, { 'src/a.py': 'b' })
  while (changedMs() === before)
  setAge(1_900)
  expect(await read()).toEqual(['page.md'])
  // The file is too young for a validator.
  expect(await read()).toEqual(['page.md'])
  setAge(2_100)
  expect(await read()).toEqual(['page.md'])
  expect(await read()).toEqual([])
  writeFiles(top, { 'src/later.py': 'later' })
  expect(await read()).toEqual(['page.md'])
})
