import { expect, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { tmpdir } from 'node:os'
import { showInPager } from '../../../src/cli/terminal.ts'

/** Creates a folder of programs that record their input, arguments and LESS in files. */
function programs(...names: string[]) {
  const folder = mkdtempDisposableSync(join(tmpdir(), 'og-pager-'))
  const keep = `#!/bin/sh
cat > '${folder.path}/text'
printf '%s,' "$@" > '${folder.path}/arguments'
printf %s "$LESS" > '${folder.path}/less-options'
`
  for (const name of names) {
    mkdirSync(join(folder.path, name, '..'), { recursive: true })
    writeFileSync(join(folder.path, name), keep)
    chmodSync(join(folder.path, name), 0o755)
  }
  const kept = (name: string) => readFileSync(join(folder.path, name), 'utf8')
  const env = (more = {}) => ({ PATH: `${folder.path}:/usr/bin:/bin`, ...more })
  return { path: folder.path, kept, env, [Symbol.dispose]: () => folder.remove() }
}

const text = 'a page\n'.repeat(50_000)

test('passes text and options to less', async () => {
  using own = programs('less')
  expect(await showInPager(text, own.env())).toBe(true)
  expect(own.kept('text')).toBe(text)
  expect(own.kept('arguments')).toBe('-R,')
  expect(own.kept('less-options')).toBe('FRX')
})

test('splits PAGER into words without a shell, and keeps LESS', async () => {
  using own = programs('less', 'mine')
  expect(await showInPager(text, own.env({ PAGER: ' mine  --a ;touch $HOME ', LESS: 'S' }))).toBe(
    true,
  )
  expect(own.kept('arguments')).toBe('--a,;touch,$HOME,')
  expect(own.kept('less-options')).toBe('S')
  expect(await showInPager(text, own.env({ PAGER: `${own.path}/less -S` }))).toBe(true)
  expect(own.kept('arguments')).toBe('-R,-S,')
})

test('runs no program from the current folder, and ignores a missing pager', async () => {
  using own = programs('mine', 'sub/mine')
  writeFileSync(join(own.path, 'data'), 'no program')
  const here = relative(process.cwd(), own.path)
  for (const env of [
    own.env({ PAGER: join(here, 'mine') }),
    own.env({ PAGER: 'sub/mine' }),
    { PAGER: 'mine', PATH: `${here}::.` },
    { PAGER: 'mine' },
    own.env({ PAGER: '' }),
    own.env({ PAGER: 'data' }),
    own.env({ PAGER: 'sub' }),
    own.env({ PAGER: join(own.path, 'none') }),
    own.env({ PAGER: 'cat' }),
    own.env({ PAGER: '/bin/cat -n' }),
  ])
    expect(await showInPager(text, env)).toBe(false)
})

test('reports text as not shown if the pager fails, but as shown if it exits early', async () => {
  using own = programs()
  const pager = (lines: string) => {
    writeFileSync(join(own.path, 'mine'), `#!/bin/sh\n${lines}\n`)
    chmodSync(join(own.path, 'mine'), 0o755)
    return showInPager(text, own.env({ PAGER: 'mine' }))
  }
  expect(await pager('exit 3')).toBe(false)
  expect(await pager('kill -9 $$')).toBe(false)
  expect(await pager('read line; exit 0')).toBe(true)
  writeFileSync(join(own.path, 'mine'), 'not for any machine')
  expect(await showInPager(text, own.env({ PAGER: 'mine' }))).toBe(false)
})

test('passes keyboard signals to the pager while it runs', async () => {
  using own = programs('mine')
  const seen: string[] = []
  const hold = () => {
    seen.push('held')
    return { [Symbol.dispose]: () => void seen.push(`given back, kept ${own.kept('arguments')}`) }
  }
  await showInPager(text, own.env({ PAGER: 'mine x' }), hold)
  expect(seen).toEqual(['held', 'given back, kept x,'])
  const listeners = process.listenerCount('exit')
  await showInPager(text, own.env({ PAGER: 'mine' }))
  expect(process.listenerCount('exit')).toBe(listeners)
  expect(await showInPager(text, own.env({ PAGER: 'none' }), hold)).toBe(false)
  expect(seen).toHaveLength(2)
})
