/** Adds a repository by its address alone with dist/og. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'
import { commit, git, type Files } from '../../support/repository.ts'
import { serveRepositories } from '../../support/servers/git-server.ts'

function publish(world: World, name: string, files: Files): void {
  const work = join(world.folder, 'work', name)
  commit(work, files)
  git(work, 'tag', 'v1.2.0')
  const bare = join(world.folder, 'team', `${name}.git`)
  git(world.folder, 'clone', '--quiet', '--bare', work, bare)
  git(bare, 'config', 'uploadpack.allowFilter', 'true')
}

const code = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((it) => [`src/${it}.py`, 'pass\n']))
const saving = { env: { OG_SOURCES__AUTO_ADD_LOCAL: 'true' } }

test('finds the documentation folder, reports it, remembers it and reads it again', async () => {
  await using world = await createWorld()
  publish(world, 'heron', {
    ...code,
    'README.md': '# Heron\n',
    'CONTRIBUTING.md': '# Help\n',
    'guides/b.md': '# B\n',
    'docs/a.md': '# A\n\nThe valve is blue.\n',
    'docs/c.md': '# C\n\nThe pump is green.\n',
  })
  await using server = serveRepositories(world.folder)
  const url = `${server.url}/team/heron.git`
  const said = `${url} at main: docs (2 pages)`
  expect(await world.json(['add', url, '--dry-run', '--json'])).toMatchObject({
    library: 'heron',
    found: said,
    passed: [{ place: 'guides', reason: '1 page' }],
    source: { url, docsPaths: ['docs'] },
    command: `og add heron -s ${url} -d docs`,
  })
  const added = await world.og(['add', url, '--json'], saving)
  expect(added.stderr).toStartWith(`heron: ${said}\n`)
  expect(JSON.parse(added.stdout)).toMatchObject({ library: 'heron', version: 'latest', pages: 2 })
  expect((await world.json(['sources', 'heron', '--json'])).entry).toEqual({
    type: 'git_repo',
    repo_url: url,
    docs_paths: ['docs'],
  })
  expect((await world.og(['update', 'heron'])).stdout).toBe('heron latest: unchanged (2 pages)\n')
  const again = await world.og(['add', url, '-v', '1.2'], saving)
  expect(again.stderr).toStartWith(`heron: ${url} at v1.2.0: docs (2 pages)\n`)
  expect(await world.json(['add', url, '-d', '/', '--json'])).toMatchObject({ pages: 4 })
})

test('reads the README of a repository without a documentation folder, and all of a handbook', async () => {
  await using world = await createWorld()
  publish(world, 'tool', { ...code, 'README.md': '# Tool\n\nTurn the key.\n', 'NOTES.md': '# N\n' })
  publish(world, 'book', { 'a.md': '# A\n', 'b/c.md': '# C\n', 'guides/d.md': '# D\n' })
  await using server = serveRepositories(world.folder)
  await world.check(['add', `${server.url}/team/tool.git`], {
    stderr: /at main: README.md, because there is no documentation folder\n/,
    stdout: /^tool latest: added\n  pages    1 /,
  })
  await world.check(['add', `${server.url}/team/book.git`], {
    stderr: /at main: all of it \(3 pages\)\n/,
    stdout: /^book latest: added\n  pages    3 /,
  })
})
