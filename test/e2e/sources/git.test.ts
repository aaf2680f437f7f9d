import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder, type TempFolder } from '../../../src/platform/file/files.ts'
import { isRunning, createWorld, type World } from '../../support/e2e.ts'
import { serveRepositories } from '../../support/servers/git-server.ts'
import { commit, git, type Files } from '../../support/repository.ts'

const page = (version: string) => `# Pump\n\nThe pump of release ${version} turns left.\n`

const tags = ['v1.0.0', 'v1.1.0', '0.115.0', '0.115.1', '0.115.2', '0.115.3-rc.1', '0.116.0']
const commits: Record<string, string> = {}

let template: TempFolder
beforeAll(async () => {
  template = await createTempFolder('og-e2e-git')
  const work = join(template.path, 'work')
  for (const tag of tags) {
    commits[tag] = commit(work, {
      'README.md': `# Read me ${tag}\n`,
      'docs/pump.md': page(tag),
      'docs/deep/valve.rst': `Valve\n=====\n\nA valve of ${tag}.\n`,
      'docs/de/pumpe.md': `# Pumpe\n\nDie Pumpe von ${tag}.\n`,
      'src/pump.py': 'turn = "left"\n',
    })
    git(work, 'tag', ...(tag === 'v1.1.0' ? ['--annotate', '--message=t'] : []), tag)
  }
  commits.main = commit(work, { 'docs/pump.md': page('main') })
  const bare = join(template.path, 'repositories', 'pump.git')
  git(template.path, 'clone', '--quiet', '--bare', work, bare)
  git(bare, 'config', 'uploadpack.allowFilter', 'true')
})
afterAll(() => template[Symbol.asyncDispose]())

/** Creates a bare repository with releases, some with `v`, a pre-release, and later commits. */
function releases(world: World): string {
  cpSync(template.path, world.folder, { recursive: true })
  return join(world.folder, 'repositories', 'pump.git')
}

test('a version is a tag, a prefix of one, or the head, and has a ref and a commit', async () => {
  await using world = await createWorld()
  const bare = releases(world)
  const added = async (...options: string[]) => {
    const result = await world.json(['add', 'pump', '-s', `file://${bare}`, '--json', ...options])
    expect(result).toMatchObject({ status: 'added', failed: [], skipped: [] })
    return result.version
  }
  const labels = [
    await added(),
    await added('-v', '1.0.0'),
    await added('-v', 'v1.1'),
    await added('-v', '0.115'),
    await added('-v', '0.115.0'),
  ]
  const listed = await world.json(['list', '--json'])
  const byLabel = Object.fromEntries(listed.map((it: { version: string }) => [it.version, it]))
  const refs = ['main', 'v1.0.0', 'v1.1.0', '0.115.2', '0.115.0']
  for (const [at, label] of labels.entries()) {
    expect(byLabel[label]).toMatchObject({
      library: 'pump',
      pages: 4,
      source: `file://${bare}`,
      ref: refs[at],
      commit: commits[refs[at]!],
    })
  }
  expect(labels[0]).toBe('latest')
  const text = async (version: string) => {
    const ran = await world.json(['query', 'pump turns', '-v', version, '-k', '1', '--json'])
    return ran.hits[0]
  }
  expect(await text('latest')).toMatchObject({
    text: page('main').trimEnd(),
    url: `file://${bare}/main/docs/pump.md`,
  })
  expect((await text('1.0.0')).text).toBe(page('v1.0.0').trimEnd())
  expect((await text('0.115')).text).toBe(page('0.115.2').trimEnd())
  expect((await text('0.115.0')).url).toBe(`file://${bare}/0.115.0/docs/pump.md`)
  await world.check(['get', `file://${bare}/0.115.0/docs/pump.md`], { stdout: page('0.115.0') })
})

test('suggests the five nearest versions for a missing one, and changes nothing', async () => {
  await using world = await createWorld()
  const bare = releases(world)
  const ran = await world.og(['add', 'pump', '-s', `file://${bare}`, '-v', '0.115.9'])
  expect(ran).toMatchObject({ exitCode: 2, stdout: '' })
  expect(ran.stderr).toMatch(/^error: .*0\.115\.9.*\nhint: .*\n$/)
  const named = ran.stderr.match(/v?\d+\.\d+\.\d+(-rc\.1)?|\bmain\b/g)!.slice(1)
  expect(named.length).toBe(5)
  expect(named).toEqual(expect.arrayContaining(['0.115.0', '0.115.1', '0.115.2']))
  expect(await world.json(['list', '--json'])).toEqual([])
})

test('--docs-path accepts folders, files and globs', async () => {
  await using world = await createWorld()
  const bare = releases(world)
  const paths = async (version: string, ...docsPaths: string[]) => {
    const flags = docsPaths.flatMap((path) => ['-d', path])
    const add = ['add', 'pump', '-s', `file://${bare}`, '-v', version, '--json', ...flags]
    const { pages } = await world.json(add)
    const { stdout } = await world.og(['query', '-', '-v', version, '--language', '*', '--jsonl'], {
      stdin: 'pump valve pumpe read me',
    })
    const found = new Set<string>(
      JSON.parse(stdout).hits.map(
        ({ url }: { url: string }) => url.split(`/${version}/`)[1] as string,
      ),
    )
    expect(found.size).toBe(pages)
    return [...found].sort()
  }
  expect(await paths('0.115.0', 'docs/de')).toEqual(['docs/de/pumpe.md'])
  expect(await paths('0.115.1', 'README.md', './docs/deep/')).toEqual([
    'README.md',
    'docs/deep/valve.rst',
  ])
  expect(await paths('0.115.2', 'docs/**/*.md')).toEqual(['docs/de/pumpe.md', 'docs/pump.md'])
  await world.check(['add', 'x', '-s', `file://${bare}`, '-d', 'nowhere'], {
    exitCode: 2,
    stderr: /^error: Cannot find nowhere in file:\/\/DIR\/repositories\/pump\.git at /,
  })
  const half = await world.og(['add', 'x', '-s', `file://${bare}`, '-d', 'docs', '-d', 'nowhere'])
  expect(half).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('Failed: nowhere') })
  await world.check(['add', 'x', '-s', `file://${bare}`, '-d', '../..'], {
    exitCode: 2,
    stderr: /^error: Cannot use "\.\.\/\.\." as a docs path: it leaves the repository\n/,
  })
})

test('reads the same repository from a path, from a bundle and over HTTP', async () => {
  await using world = await createWorld()
  const bare = releases(world)
  const bundle = join(world.folder, 'pump.bundle')
  git(bare, 'bundle', 'create', '--quiet', bundle, '--all')
  await using server = serveRepositories(join(world.folder, 'repositories'))
  const sources = { path: bare, bundle, http: `${server.url}/pump.git` }
  for (const [library, source] of Object.entries(sources)) {
    const add = ['add', library, '-s', source, '-v', '0.115', '-d', 'docs', '--json']
    expect(await world.json(add)).toMatchObject({ status: 'added', pages: 3, failed: [] })
    expect(await world.json(add)).toMatchObject({ status: 'unchanged', embedded: 0 })
  }
  const listed = await world.json(['list', '--json'])
  for (const it of listed) expect(it.commit).toBe(commits['0.115.2'])
  const { hits } = await world.json(['query', 'valve', '-l', 'http', '--json'])
  expect(hits[0].url).toBe(`${server.url}/pump/blob/0.115.2/docs/deep/valve.rst`)
  await world.check(['get', hits[0].url], { stdout: `${hits[0].text}\n` })
  const missing = `${server.url}/nothing.git`
  await world.check(['add', 'x', '-s', missing], {
    exitCode: 2,
    stderr: /^error: Cannot read http.*nothing\.git: there is no such repository\n/,
  })
})

test('labels a working tree with its commit, and follows the branch of a repository', async () => {
  await using world = await createWorld()
  const bare = releases(world)
  const work = join(world.folder, 'work')
  const asFolder = await world.json(['add', 'tree', '-s', work, '--json'])
  expect(asFolder).toMatchObject({ pages: 4, version: git(work, 'describe', '--tags') })
  await world.check(['add', 'tree', '-s', work, '-v', 'v9.9.9'], {
    exitCode: 2,
    stderr: /^error: Cannot find tag or branch "v9\.9\.9" in .*\nhint: nearest: v/,
  })
  await world.json(['add', 'pump', '-s', `file://${bare}`, '--json'])
  const moved = commit(work, { 'docs/pump.md': page('later') })
  git(work, 'push', '--quiet', bare, 'HEAD:main')
  expect(await world.json(['add', 'pump', '-s', `file://${bare}`, '--json'])).toMatchObject({
    status: 'updated',
    version: 'latest',
    diff: { added: 0, modified: 1, deleted: 0, unchanged: 3 },
  })
  const pump = (await world.json(['list', '--json']))[0]
  expect(pump).toMatchObject({ library: 'pump', commit: moved, tag: null })
})

test('og list shows the tag of latest, or otherwise its commit', async () => {
  await using world = await createWorld()
  const bare = releases(world)
  const shown = async () => (await world.og(['list'])).stdout.match(/latest \((.+?)\)/)?.[1]
  await world.json(['add', 'pump', '-s', `file://${bare}`, '--json'])
  expect(await shown()).toBe(`g${commits.main!.slice(0, 7)}`)
  for (const tag of ['latest', 'v1.9.0', 'v1.10.0-rc.1']) git(bare, 'tag', tag, commits.main!)
  git(bare, 'tag', '--annotate', '--message=t', 'v1.10.0', commits.main!)
  await world.check(['update', 'pump'], { stdout: /^pump latest: unchanged/ })
  expect(await shown()).toBe('v1.10.0')
  expect((await world.json(['list', '--json']))[0]).toMatchObject({
    version: 'latest',
    ref: 'main',
    commit: commits.main,
    tag: 'v1.10.0',
  })
  const pack = join(world.folder, 'pump.ogpack')
  await world.check(['pack', 'pump', '-o', pack], { stdout: /pump/, stderr: /no licence/ })
  await world.og(['remove', 'pump', '--all', '--yes'])
  await world.check(['add', pack, '--trust'], { stdout: /^pump latest: added/ })
  expect(await shown()).toBe('v1.10.0')
  commit(join(world.folder, 'work'), { 'docs/pump.md': page('later') })
  git(join(world.folder, 'work'), 'push', '--quiet', bare, 'HEAD:main')
  await world.json(['add', 'pump', '-s', `file://${bare}`, '--json'])
  expect(await shown()).toMatch(/^g[0-9a-f]{7}$/)
})

test('runs no command from a hostile repository or address', async () => {
  await using world = await createWorld()
  const proof = join(world.folder, 'proof')
  const secret = join(world.folder, 'secret.md')
  await Bun.write(secret, '# Secret\n\nThe password is xyzzy.\n')
  const refused = [
    `--source=--upload-pack=touch ${proof}`,
    `--source=ext::sh -c touch% ${proof}`,
    `--source=git@-oProxyCommand=touch\${IFS}${proof}:x`,
    `--source=ssh://-oProxyCommand=touch ${proof}/x`,
    '--source=fd::17/foo',
    '--source=http://0.0.0.0:1/\n/x.git',
  ]
  for (const source of refused) {
    const ran = await world.og(['add', 'bad', source])
    expect(ran).toMatchObject({ exitCode: 2, stdout: '' })
    expect(ran.stderr).toStartWith('error: Cannot use ')
  }
  const links: Files = {
    'docs/good.md': '# Good\n\nNothing to see.\n',
    'docs/passwd.md': { link: '/etc/passwd' },
    'docs/secret.md': { link: secret },
    'docs/up.md': { link: '../../secret.md' },
    'docs/circle.md': { link: 'circle.md' },
    'docs/folder': { link: '/etc' },
  }
  const work = join(world.folder, 'evil')
  commit(work, links)
  const source = `file://${work}/.git`
  const result = await world.json(['add', 'evil', '-s', source, '--json'])
  expect(result).toMatchObject({ pages: 1, failed: [] })
  expect(result.skipped.map((it: { path: string }) => it.path).sort()).toEqual([
    'docs/circle.md',
    'docs/passwd.md',
    'docs/secret.md',
    'docs/up.md',
  ])
  const asFolder = await world.json(['add', 'evil-folder', '-s', work, '--json'])
  expect(asFolder).toMatchObject({ pages: 1, failed: [] })
  await world.check(['query', 'password xyzzy root'], { exitCode: 1, stdout: /^Found 0 matches/ })
  expect(existsSync(proof)).toBe(false)
})

const signals = ['SIGINT', 'SIGTERM'] as const
test.each(signals)('%s leaves nothing behind while git waits', async (signal) => {
  await using world = await createWorld()
  releases(world)
  await using server = serveRepositories(join(world.folder, 'repositories'))
  server.stall()
  const running = world.start(['add', 'pump', '-s', `${server.url}/pump.git`])
  while (server.requests.length === 0) await Bun.sleep(10)
  const children = processesBelow(running.pid)
  expect(children.length).toBeGreaterThan(0)
  expect(readdirSync(join(world.folder, 'tmp')).length).toBeGreaterThan(0)
  running.kill(signal)
  const { exitCode, stderr } = await running.ended
  expect(exitCode).toBe(signal === 'SIGINT' ? 130 : 143)
  expect(stderr).toMatch(/^error: Interrupted\nhint: /)
  expect(readdirSync(join(world.folder, 'tmp'))).toEqual([])
  while (children.some(isRunning)) await Bun.sleep(10)
  expect(await world.json(['list', '--json'])).toEqual([])
})

/** Returns all descendants of a process. */
function processesBelow(pid: number): number[] {
  const { stdout } = Bun.spawnSync(['ps', '-o', 'pid=', '--ppid', String(pid)])
  const children = stdout
    .toString()
    .split('\n')
    .map(Number)
    .filter((child) => child > 0)
  return children.flatMap((child) => [child, ...processesBelow(child)])
}
