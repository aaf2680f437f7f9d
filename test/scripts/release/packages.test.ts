import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import identity from '../../../packaging/identity.json'
import { version } from '../../../package.json'
import { hostTarget, targetNamed } from '../../../scripts/build/target.ts'
import { manifests, writeNpmPackages } from '../../../scripts/release/packages.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import {
  serveFolders,
  serveVerdaccio,
  type NpmRegistry,
} from '../../support/servers/npm-registry.ts'
import { testWhere } from '../../support/where.ts'

const script =
  '#!/bin/sh\necho "og says $*"\n[ "$1" = memory ] && echo "og says $*" >&2\ncase $1 in fail) exit 3 ;; die) kill -9 $$ ;; esac\n'
const root = join(import.meta.dir, '..', '..', '..')
const built = existsSync(join(root, 'dist', 'memory.js'))
const lack =
  process.platform !== 'linux'
    ? 'the made executable is for Linux'
    : !built
      ? 'there is no dist/memory.js: npm run build makes it'
      : Bun.which('npm') === null
        ? 'npm is not here'
        : null

type Ran = { said: string; code: number; signal: NodeJS.Signals | number | null }
type Project = { folder: string; url: string; run(...command: string[]): Promise<Ran> }

/** Sets up a registry with the packages of this system and of another, and an empty project. */
async function project(
  serve: (root: string, names: readonly string[]) => NpmRegistry | Promise<NpmRegistry>,
  work: (project: Project) => Promise<void>,
): Promise<void> {
  await using temp = await createTempFolder('npm')
  const executable = join(temp.path, 'og')
  writeFileSync(executable, script)
  const [target, other] = [hostTarget(), targetNamed('windows-x64')]
  const paths = { [target.name]: executable, [other.name]: executable }
  const root = join(temp.path, 'npm')
  const names = await writeNpmPackages(root, [target, other], paths)
  await using registry = await serve(root, names)
  const folder = join(temp.path, 'project')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{"private": true}')
  const env = { PATH: process.env.PATH!, HOME: temp.path, npm_config_registry: registry.url }
  await work({
    folder,
    url: registry.url,
    async run(...command) {
      const child = Bun.spawn(command, { cwd: folder, env, stdout: 'pipe', stderr: 'pipe' })
      const said = await Promise.all(
        [child.stdout, child.stderr].map((stream) => new Response(stream).text()),
      )
      return { said: said.join(''), code: await child.exited, signal: child.signalCode }
    },
  })
}

const name = identity.package
const own = process.platform === 'linux' ? `${name}-${hostTarget().name}` : ''

/**
 * Installs with a client, and checks that only the package of this system is installed.
 */
async function checkClient(it: Project, client: string[], add: string[]): Promise<void> {
  for (const path of ['node_modules', 'package-lock.json', 'bun.lock', 'pnpm-lock.yaml']) {
    rmSync(join(it.folder, path), { recursive: true, force: true })
  }
  writeFileSync(join(it.folder, 'package.json'), '{"private": true}')
  expect(await it.run(...client, ...add, name)).toMatchObject({ code: 0 })
  const og = join(it.folder, 'node_modules', '.bin', 'og')
  expect(await it.run(og, 'version')).toMatchObject({ code: 0, said: 'og says version\n' })
  const all = readdirSync(join(it.folder, 'node_modules'), { recursive: true, encoding: 'utf8' })
  const fitting = all
    .map((path) => basename(path).replace(/@.*/, ''))
    .filter((it) => it.startsWith(`${name}-`))
  expect([...new Set(fitting)]).toEqual([own])
}

testWhere(lack)('npm, bun and npx install the og of this system, and og/memory', () =>
  project(serveFolders, async (it) => {
    await checkClient(it, ['npm'], ['install', '--no-audit'])
    const og = join(it.folder, 'node_modules', '.bin', 'og')
    expect(await it.run(og, 'fail')).toMatchObject({ code: 3 })
    expect(await it.run(og, 'die')).toMatchObject({ signal: 'SIGKILL' })
    await checkMemory(it)
    // Installs from npm's cache, without network access.
    await checkClient(it, ['npm'], ['install', '--no-audit', '--offline'])
    await it.run('npm', 'install', '--no-audit', '--omit=optional', '--force', name)
    const { said, code } = await it.run(og, 'version')
    expect(said).toContain(`the package ${own} is not installed`)
    expect([code, said]).toEqual([2, expect.stringContaining('--omit=optional')])
    await checkClient(it, [process.execPath], ['add'])
    const npx = await it.run('npx', '--yes', name, 'version')
    expect(npx).toMatchObject({ code: 0, said: expect.stringContaining('og says version\n') })
  }),
)

const pnpmLack = Bun.which('pnpm') === null ? 'pnpm is not here' : null
testWhere(lack ?? pnpmLack)('pnpm installs the og of this system, and og/memory', () =>
  project(serveFolders, (it) => checkClient(it, ['pnpm'], ['add'])),
)

const verdaccioLack = Bun.which('verdaccio') === null ? 'verdaccio is not here' : null
testWhere(lack ?? verdaccioLack)(
  'npm publishes to verdaccio, and all clients install from it',
  () =>
    project(serveVerdaccio, async (it) => {
      await checkClient(it, ['npm'], ['install', '--no-audit'])
      await checkClient(it, [process.execPath], ['add'])
      if (pnpmLack === null) await checkClient(it, ['pnpm'], ['add'])
      const npx = await it.run('npx', '--yes', name, 'version')
      expect(npx).toMatchObject({ code: 0, said: expect.stringContaining('og says version\n') })
    }),
)

const program = `import { MemorySession } from '${name}/memory'
export const session: MemorySession = await MemorySession.create('w', { root: '/tmp' })
const { results } = await session.read({ query: 'x' })
export const wrong: number = results[0]!.content
`

/** Checks that `og/memory` starts the og next to it, and that its types match its exports. */
async function checkMemory(it: Project): Promise<void> {
  const start = `import('${name}/memory').then((it) => it.MemorySession.create())`
  expect((await it.run('node', '-e', start)).said).toContain('og says memory mcp --for-programs')
  const [main, config] = [join(it.folder, 'main.mts'), join(it.folder, 'tsconfig.json')]
  writeFileSync(main, program)
  writeFileSync(
    config,
    JSON.stringify({
      compilerOptions: {
        strict: true,
        noEmit: true,
        module: 'nodenext',
        target: 'esnext',
        types: [],
        noUncheckedIndexedAccess: true,
      },
      files: ['main.mts'],
    }),
  )
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  const { said } = await it.run('node', tsc, '--pretty', 'false', '-p', config)
  expect(said.trim().split('\n')).toEqual([
    expect.stringMatching(/main\.mts\(4,14\): error TS2322: Type 'string'/),
  ])
}

test('manifests name the released files and their hashes', () => {
  const file = (name: string) => ({ file: name, bytes: 1, sha256: name.length.toString(16) })
  const release = {
    format: 1 as const,
    name: 'og',
    version,
    commit: '',
    date: '',
    missing: {},
    targets: Object.fromEntries(
      ['linux-x64', 'darwin-arm64', 'windows-x64'].map((name) => [
        name,
        {
          archives: [file(`og-1-${name}.tar.gz`), file(`og-1-${name}.zip`)],
          executable: file('og'),
          trial: null,
        },
      ]),
    ),
  }
  const made = manifests(release)
  expect(Object.keys(made).sort()).toEqual(['PKGBUILD', 'og.json', 'og.rb', 'og.winget.yaml'])
  expect(made['PKGBUILD']).toContain('og-1-linux-x64.tar.gz')
  expect(made['og.rb']).toMatch(/on_macos do\n    on_arm do\n      url ".*darwin-arm64.tar.gz"/)
  expect(JSON.parse(made['og.json']!).architecture['64bit'].extract_dir).toBe('og-1-windows-x64')
  expect(made['og.winget.yaml']).toContain('PortableCommandAlias: og.exe')
  const tried = { ...release.targets['linux-x64']!, trial: 'LanceDB 0.31.0' }
  expect(manifests({ ...release, targets: { 'linux-x64': tried } })).toEqual({})
})
