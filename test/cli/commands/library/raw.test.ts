import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openHome, type TempHome } from '../../../support/run-og.ts'
import { commit, writeFiles } from '../../../support/repository.ts'
import { homePaths } from '../../../support/run/home-paths.ts'

type Expected = { code?: number; stdout?: string | RegExp; stderr?: string | RegExp }

async function check(home: TempHome, typed: string[], expected: Expected) {
  const ran = await home.run(typed)
  const { code = 0, stdout = '', stderr = '' } = expected
  const matches = (text: string, wanted: string | RegExp) =>
    typeof wanted === 'string' ? expect(text).toBe(wanted) : expect(text).toMatch(wanted)
  matches(ran.stderr, stderr)
  matches(ran.stdout, stdout)
  expect(ran.code).toBe(code)
}

const raw = (url: string, library: string, content: string) =>
  JSON.stringify({ url, library_name: library, version: 'v1', title: null, content })

/** Creates raw pages in the layout of openground. */
function withRawData(home: TempHome): string {
  const folder = join(home.path, homePaths.rawPages)
  writeFiles(folder, {
    'react/v1/a.json': raw('https://r.example/hooks', 'React', '# Hooks\n\nHooks catch fish.'),
    'react/v2/a.json': raw('https://r.example/hooks', 'React', '# Hooks\n\nHooks hold coats.'),
    'notes/local-2025-01-01/a.json': raw('file:///n/a.md', 'notes', '# Old'),
    'notes/local-2025-02-01/a.json': raw('file:///n/a.md', 'notes', '# New'),
    'broken/latest/a.json': '{',
  })
  return folder
}

test('indexes raw data of openground without network access', async () => {
  using home = openHome()
  await check(home, ['list-raw-libraries'], { stderr: /^No libraries found in raw_data\.\n/ })
  const folder = withRawData(home)
  await check(home, ['list'], {
    stderr: `No libraries found.\nhint: og import-raw indexes the raw pages in ${folder}\n`,
  })
  for (const wish of [[], ['-l', 'react']]) {
    await check(home, ['query', 'coats', ...wish], {
      code: 2,
      stderr: /^error: .*\nhint: og import-raw indexes the raw pages in .*\n$/,
    })
  }
  await check(home, ['list-raw-libraries'], {
    stdout:
      'Available libraries in raw_data:\nbroken: latest\n' +
      'notes: local-2025-01-01, local-2025-02-01\nReact: v1, v2\n',
  })
  await check(home, ['import-raw'], {
    code: 1,
    stdout: /^notes local-2025-02-01: added\n[^]*React v1: added\n[^]*React v2: added\n/,
    stderr: /^error: Cannot add library "broken": no documentation pages/,
  })
  await check(home, ['query', 'hooks', '-l', 'react', '-v', 'v1'], { stdout: /catch fish/ })
  await check(home, ['get', 'https://r.example/hooks', '-v', 'v2'], { stdout: /hold coats\.$/ })
  await check(home, ['import-raw', 'react', '--json'], { stdout: /"status": "unchanged"/ })
  await check(home, ['import-raw', 'vue'], { code: 2, stderr: /has no such raw pages/ })
  await check(home, ['import-raw', '--folder', join(folder, 'react')], {
    code: 2,
    stderr: /^error/,
  })
})

test('does not duplicate chunks when embed runs twice (W-05), and reports missing raw pages', async () => {
  using home = openHome()
  withRawData(home)
  await check(home, ['embed', 'react', '-v', 'v1'], { stdout: /^React v1: added\n/ })
  await check(home, ['embed', 'REACT', '-v', 'v1', '--json'], { stdout: /"chunks": 1,/ })
  await check(home, ['embed', 'react'], {
    code: 2,
    stderr: /"react" version "latest" has no raw pages in .*\nhint: og list-raw-libraries/,
  })
  await check(home, ['embed', '../../react'], { code: 2, stderr: /Cannot use library name/ })
})

test('extract-git writes files for embed, and fails for invalid sources (W-36)', async () => {
  using home = openHome()
  const repository = join(home.path, 'repository')
  commit(repository, { 'docs/a.md': '# Kettle\n\nBoils water.', 'other/b.md': '# Other' })
  const url = `file://${repository}`
  await check(home, ['extract-git', '-r', url], {
    code: 2,
    stderr: /^error: Missing option --docs/,
  })
  await check(home, ['extract-git', '-r', repository, '-d', '/'], { code: 2, stderr: /file:\/\// })
  await check(home, ['extract-git', '-r', `${url}x`, '-d', '/'], { code: 2, stderr: /^error: / })
  await check(home, ['extract-git', '-r', url, '-d', 'docs', '-l', 'Kettle'], {
    stdout: /^Kettle latest: 1 page, 0 skipped, 0 failed\n {2}in .*\/raw_data\/kettle\/latest\n$/,
  })
  await check(home, ['embed', 'kettle'], { stdout: /^Kettle latest: added\n/ })
  await check(home, ['query', 'boils'], { stdout: /^Found 1 match/ })
  await check(home, ['extract-git', '-r', url, '-d', '/', '-l', 'Kettle', '--json'], {
    stdout: /"pages": 2/,
  })
})

test('nuke embeddings keeps raw pages, and embed can index them again (W-34)', async () => {
  using home = openHome()
  withRawData(home)
  await home.run(['embed', 'react', '-v', 'v1'])
  await check(home, ['nuke', 'embeddings', '-y'], { stderr: /Deleted: 1 library/ })
  await check(home, ['embed', 'react', '-v', 'v1'], { stdout: /^React v1: added\n/ })
})

test('import-raw keeps a version that og indexed itself', async () => {
  using home = openHome()
  withRawData(home)
  writeFiles(join(home.path, 'docs'), { 'a.md': '# Hooks\n\nHooks of our own.' })
  await home.run(['add', 'react', '-s', join(home.path, 'docs'), '-v', 'v1'])
  const { stderr } = await home.run(['import-raw'])
  expect(stderr).toContain('warning: react v1 is indexed from another source; it was not changed\n')
  await check(home, ['query', 'hooks', '-v', 'v1'], { stdout: /of our own/ })
  await check(home, ['import-raw', 'react', '-v', 'v1'], { stdout: /updated/ })
})
