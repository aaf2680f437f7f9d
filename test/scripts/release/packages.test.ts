import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import identity from '../../../packaging/identity.json'
import { version } from '../../../package.json'
import { hostTarget, targetNamed } from '../../../scripts/build/target.ts'
import { manifests, writeNpmPackages } from '../../../scripts/release/packages.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { testWhere } from '../../support/where.ts'

const script = '#!/bin/sh\necho "og says $*"\ncase $1 in fail) exit 3 ;; die) kill -9 $$ ;; esac\n'
const built = existsSync(join(import.meta.dir, '..', '..', '..', 'dist', 'memory.js'))
const lack = process.platform !== 'linux' ? 'the made executable is for Linux'
  : !built ? 'there is no dist/memory.js: npm run build makes it'
    : Bun.which('npm') === null ? 'npm is not here' : null

/** A registry that holds the folders below `root`, each packed by npm. */
function serveRegistry(root: string, names: readonly string[]) {
  const tarballs = Object.fromEntries(names.map((name) => {
    const ran = Bun.spawnSync(['npm', 'pack', '--silent', '--pack-destination', root], {
      cwd: join(root, name), env: { ...process.env, HOME: root },
    })
    return [name, join(root, ran.stdout.toString().trim())]
  }))
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      const { pathname, origin } = new URL(url)
      const name = pathname.slice(1).replace('.tgz', '')
      const path = tarballs[name]
      if (path === undefined) return new Response('{}', { status: 404 })
      if (pathname.endsWith('.tgz')) return new Response(Bun.file(path))
      const about = JSON.parse(readFileSync(join(root, name, 'package.json'), 'utf8'))
      const dist = { tarball: `${origin}/${name}.tgz` }
      const versions = { [version]: { ...about, dist } }
      return Response.json({ name, 'dist-tags': { latest: version }, versions })
    },
  })
  return { url: server.url.href, [Symbol.dispose]: () => void server.stop(true) }
}

const installs = 'npm installs the command and the library, of one system, without scripts'

testWhere(lack)(installs, async () => {
  await using temp = await createTempFolder('npm')
  const executable = join(temp.path, 'og')
  writeFileSync(executable, script)
  const target = hostTarget()
  const other = targetNamed('windows-x64')
  const paths = { [target.name]: executable, [other.name]: executable }
  const names = await writeNpmPackages(join(temp.path, 'npm'), [target, other], paths)
  using registry = serveRegistry(join(temp.path, 'npm'), names)
  const project = join(temp.path, 'project')
  mkdirSync(project)
  writeFileSync(join(project, 'package.json'), '{"private": true}')
  const environment = { PATH: process.env.PATH!, HOME: temp.path }
  const run = async (...command: string[]) => {
    const child = Bun.spawn(command, {
      cwd: project, env: environment, stdout: 'pipe', stderr: 'pipe',
    })
    const said = await new Response(child.stdout).text() + await new Response(child.stderr).text()
    return { said, code: await child.exited, signal: child.signalCode }
  }
  const install = ['npm', 'install', '--registry', registry.url, '--no-audit', identity.package]
  expect(await run(...install)).toMatchObject({ code: 0 })
  const found = readdirSync(join(project, 'node_modules')).filter((name) => name[0] !== '.')
  expect(found.sort()).toEqual([identity.package, `${identity.package}-${target.name}`])
  const og = join(project, 'node_modules', '.bin', 'og')
  expect(await run(og, 'version')).toMatchObject({ code: 0, said: 'og says version\n' })
  expect(await run(og, 'fail')).toMatchObject({ code: 3 })
  expect(await run(og, 'die')).toMatchObject({ signal: 'SIGKILL' })
  const ask = `import('${identity.package}/memory').then((it) => console.log(Object.keys(it)))`
  expect((await run('node', '-e', ask)).said).toContain('MemorySession')
  await run(...install, '--omit=optional', '--force')
  const { said, code } = await run(og, 'version')
  expect(said).toContain(`the package ${identity.package}-${target.name} is not installed`)
  expect([code, said]).toEqual([2, expect.stringContaining('--omit=optional')])
}, 120_000)

test('manifests name the released files and their hashes', () => {
  const file = (name: string) => ({ file: name, bytes: 1, sha256: name.length.toString(16) })
  const release = {
    format: 1 as const, name: 'og', version, commit: '', date: '', missing: {},
    targets: Object.fromEntries(['linux-x64', 'darwin-arm64', 'windows-x64'].map((name) => [name, {
      archives: [file(`og-1-${name}.tar.gz`), file(`og-1-${name}.zip`)],
      executable: file('og'), trial: null,
    }])),
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
