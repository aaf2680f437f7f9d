/** Tests the dependencies of a project with dist/og. */
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createWorld, type World } from '../../support/e2e.ts'
import { commit, git, writeFiles } from '../../support/repository.ts'
import { openRegistries } from '../../support/servers/registries.ts'

function project(world: World, version: string): void {
  writeFiles(join(world.folder, 'cwd'), {
    'package.json': JSON.stringify({
      dependencies: { heron: '^1' },
      devDependencies: { egret: '^2' },
    }),
    'package-lock.json': JSON.stringify({
      packages: { 'node_modules/heron': { version }, 'node_modules/egret': { version: '2.0.0' } },
    }),
  })
}

test('prints, indexes and checks dependencies at their locked versions', async () => {
  await using world = await createWorld()
  using registries = await openRegistries({ versions: ['1.1.0', '1.2.0'] })
  const asking = { env: registries.env }
  const states = async (...args: string[]) =>
    (await world.json(['init', '--json', ...args], asking)).map(
      ({ package: place, version, status }: Record<string, string>) =>
        `${place} ${version} ${status}`,
    )
  project(world, '1.1.0')
  expect(await states()).toEqual(['npm:heron 1.1.0 missing'])
  expect(await states('--dev')).toEqual(['npm:heron 1.1.0 missing', 'npm:egret 2.0.0 missing'])
  const looked = await world.json(['init', '--look', '--dev', '--json'], asking)
  expect(looked).toMatchObject(
    [{ found: /README.md/ }, { problem: /^Cannot find npm:egret/ }].map((it) =>
      Object.fromEntries(
        Object.entries(it).map(([name, pattern]) => [name, expect.stringMatching(pattern)]),
      ),
    ),
  )
  await world.check(
    ['init', '--look'],
    { stdout: /INDEXED +FROM +FOUND\nnpm:heron .*README.md/, stderr: /^hint: og init --all/ },
    asking,
  )
  await world.check(
    ['init', '--check'],
    {
      exitCode: 1,
      stdout: /\nnpm:heron +1.1.0 +missing +package-lock.json\n$/,
      stderr: /^hint: og init --all/,
    },
    asking,
  )
  const { stdout, stderr, exitCode } = await world.og(['init', '--all'], asking)
  expect(stderr).toContain('heron 1.1.0: added\n')
  expect(stdout).toMatch(/^PACKAGE +VERSION +INDEXED +FROM\nnpm:heron +1.1.0 +indexed +package/)
  expect(exitCode).toBe(0)
  await world.check(['init', '--check'], {}, asking)
  project(world, '1.2.0')
  await world.check(
    ['init', '--check'],
    {
      exitCode: 1,
      stdout: /\nnpm:heron +1.2.0 +behind: 1.1.0 +package-lock.json\n$/,
      stderr: /^hint: og init --all/,
    },
    asking,
  )
  project(world, '1.0.0')
  await world.check(
    ['init', '--check'],
    {
      exitCode: 1,
      stdout: /\nnpm:heron +1.0.0 +newer: 1.1.0 +package-lock.json\n$/,
      stderr: /^hint: og init --all/,
    },
    asking,
  )
  project(world, '1.2.0')
  expect(await states('--only', 'heron')).toEqual(['npm:heron 1.2.0 indexed'])
  const partly = await world.og(['init', '--all', '--dev'], asking)
  expect(partly.stderr).toContain('error: npm:egret: Cannot find npm:egret: ')
  expect(partly.exitCode).toBe(1)
})

test('calls a commit after the release of the project newer', async () => {
  await using world = await createWorld()
  const repository = join(world.folder, 'heron')
  commit(repository, { 'docs/a.md': '# Herons\n' })
  git(repository, 'tag', 'v1.2.0')
  commit(repository, { 'docs/a.md': '# Herons\n\nThey wade.\n' })
  await world.json(['add', 'heron', '-s', repository, '--json'])
  project(world, '1.2.0')
  await world.check(['init', '--check'], {
    exitCode: 1,
    stdout: /\nnpm:heron +1\.2\.0 +newer: v1\.2\.0-1-g[0-9a-f]+ +package-lock\.json\n$/,
    stderr: /^hint: og init --all/,
  })
})

test('reports in one line a library that is not a dependency', async () => {
  await using world = await createWorld()
  await world.check(['init', '--only', 'heron'], {
    exitCode: 2,
    stderr:
      'error: Cannot index "heron": the project does not depend on it\n' +
      'hint: no lock file or manifest is here\n',
  })
})

test('selects a dependency by the last part of its name', async () => {
  await using world = await createWorld()
  const module = 'go.heron.example/team/heron'
  writeFiles(join(world.folder, 'cwd'), { 'go.mod': `module demo\n\nrequire ${module} v1.0.0\n` })
  const { exitCode, stderr } = await world.og(['init', '--only', 'heron'], {
    env: { GOPROXY: 'off' },
  })
  expect(stderr).toContain(`error: go:${module}: Cannot find go:${module}`)
  expect(exitCode).toBe(1)
})

test('reports a folder without a project, and a project with only development packages', async () => {
  await using world = await createWorld()
  await world.check(['init'], {
    stderr: /^No lock file or manifest that og reads names a direct dependency/,
  })
  expect(await world.json(['init', '--json'])).toEqual([])
  const file = { devDependencies: { egret: '^2' } }
  writeFiles(join(world.folder, 'cwd'), { 'package.json': JSON.stringify(file) })
  await world.check(['init'], { stderr: /^This project depends on packages for building/ })
})

test('reads installed packages if the registry does not answer, or the user says so', async () => {
  await using world = await createWorld()
  const cwd = join(world.folder, 'cwd')
  const install = (version: string) =>
    writeFiles(join(cwd, 'node_modules/heron'), {
      'package.json': JSON.stringify({ name: 'heron', version, types: 'index.d.ts' }),
      'index.d.ts': '/** Wades. */\nexport declare function wade(cm?: number): void\n',
      'README.md': '# Heron\n\nA bird that wades.\n',
    })
  project(world, '1.1.0')
  install('1.1.0')
  // Nothing listens on this port.
  const asking = { env: { npm_config_registry: 'http://127.0.0.1:9/' } }
  const first = await world.og(['init', '--all'], asking)
  expect(first.stderr).toContain('note: cannot reach 127.0.0.1:9')
  expect(first.stderr).toEndWith('hint: og init --installed needs no registry\n')
  expect(first.exitCode).toBe(1)
  await world.check(
    ['init'],
    { stdout: /incomplete: /, stderr: 'hint: og update reads the incomplete ones again\n' },
    asking,
  )
  const second = await world.og(['init', '--installed'], asking)
  expect(second.stdout).toMatch(/\nnpm:heron +1.1.0 +indexed +package-lock.json\n$/)
  expect(second.exitCode).toBe(0)
  await world.check(['api', 'heron'], { stdout: /\.wade +function wade\(cm\?: number\): void/ })
  await world.check(['update', 'heron'], { stdout: /1.1.0: unchanged/ })
  install('1.2.0')
  await world.check(['update', 'heron'], { exitCode: 2, stderr: /node_modules\/heron" has 1.2.0/ })
  project(world, '1.2.0')
  await world.check(['init', '--installed'], { stdout: /heron +1.2.0 +indexed/, stderr: /added/ })
  project(world, '1.3.0')
  await world.check(['init', '--installed'], {
    exitCode: 1,
    stdout: /behind: /,
    stderr: /Cannot find npm:heron 1.3.0 among the installed packages/,
  })
})
