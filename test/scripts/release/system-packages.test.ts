import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../../package.json'
import { targetNamed } from '../../../scripts/build/target.ts'
import { systemPackages, writeSystemPackage } from '../../../scripts/release/system-packages.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { sha256OfFile } from '../../../src/platform/hash.ts'
import { testWhere } from '../../support/where.ts'

const script = '#!/bin/sh\necho "og says $*"\n'
const lackOf = (...tools: string[]) => {
  const lack = tools.find((tool) => Bun.which(tool) === null)
  if (lack !== undefined) return `${lack} is not here`
  return process.getuid?.() === 0 ? null : 'only root installs packages'
}

/**
 * Makes a package twice, at different times and in another order, and checks that the bytes are
 * equal.
 */
async function made(kind: 'deb' | 'rpm', work: (path: string, folder: string) => void) {
  await using temp = await createTempFolder('package')
  const sums = []
  let path = ''
  for (const turn of [1, 2]) {
    const folder = join(temp.path, `${turn}`)
    mkdirSync(join(folder, 'files', 'man'), { recursive: true })
    const names = ['og', 'LICENSE', 'man/og.1', 'not-for-systems']
    const entries = (turn === 1 ? names : names.toReversed()).map((name) => {
      const file = join(folder, 'files', name)
      writeFileSync(file, name === 'og' ? script : `${name}\n`)
      utimesSync(file, turn * 1e8, turn * 1e8)
      return { name, path: file, isExecutable: name === 'og' }
    })
    path = join(folder, `og.${kind}`)
    await writeSystemPackage(path, entries, { kind, arch: 'x64', seconds: 1_700_000_000 })
    sums.push(await sha256OfFile(path))
  }
  expect(sums[0]).toBe(sums[1]!)
  work(path, temp.path)
}

function said(...command: string[]): string {
  const ran = Bun.spawnSync(command, { env: { ...process.env, TZ: 'UTC', LC_ALL: 'C' } })
  return ran.stdout.toString() + ran.stderr.toString()
}

const debTools = lackOf('xz', 'dpkg', 'dpkg-deb')
testWhere(debTools)('builds a deb twice with the same bytes, installs it and removes it', () =>
  made('deb', checkDeb),
)

/** Uses dpkg with a separate root that has no other packages or programs. */
function checkDeb(path: string, folder: string): void {
  const control = said('dpkg-deb', '--info', path)
  expect(control).toContain(`Version: ${version.replace('-', '~')}`)
  expect(control).toMatch(/Architecture: amd64\n[^]*Depends: libc6 \(>= 2\.28\), libgcc-s1\n/)
  expect(said('dpkg-deb', '--contents', path)).toMatch(
    /^-rwxr-xr-x 0\/0 +28 2023-11-14 22:13 \.\/usr\/bin\/og$/m,
  )
  const root = join(folder, 'root')
  for (const name of ['info', 'updates']) {
    mkdirSync(join(root, 'var/lib/dpkg', name), { recursive: true })
  }
  writeFileSync(join(root, 'var/lib/dpkg/status'), '')
  writeFileSync(join(root, 'var/lib/dpkg/available'), '')
  const dpkg = [
    'dpkg',
    `--root=${root}`,
    `--log=${join(folder, 'log')}`,
    '--force-depends',
    '--force-script-chrootless',
    '--force-architecture',
  ]
  said(...dpkg, '--install', path)
  expect(readFileSync(join(root, 'usr/bin/og'), 'utf8')).toBe(script)
  expect(existsSync(join(root, 'var/lib/dpkg/info/og.list'))).toBe(true)
  expect(said('dpkg', `--root=${root}`, '--verify', 'og')).toBe('')
  expect(readFileSync(join(root, 'usr/share/doc/og/copyright'), 'utf8')).toBe('LICENSE\n')
  expect(said(...dpkg, '--remove', 'og')).toContain('Removing og')
  for (const path of ['usr/bin/og', 'usr/share/doc/og', 'usr/share/man/man1/og.1']) {
    expect(existsSync(join(root, path))).toBe(false)
  }
}

const rpmTools = lackOf('rpmbuild', 'rpm')
testWhere(rpmTools)('builds an rpm twice with the same bytes, installs it and removes it', () =>
  made('rpm', checkRpm),
)

function checkRpm(path: string, folder: string): void {
  const own = ['--dbpath', join(folder, 'db')]
  const about = said('rpm', ...own, '-qp', '--info', '--list', '--requires', path)
  expect(about).toMatch(/Architecture: x86_64\n[^]*Build Host +: localhost\n/)
  expect(about).toMatch(/^\/usr\/bin\/og$/m)
  expect(about).toContain('libc.so.6(GLIBC_2.28)(64bit)')
  expect(about).not.toContain('not-for-systems')
  const dump = said('rpm', ...own, '-qp', '--dump', path)
  expect(dump).toMatch(/^\/usr\/bin\/og 28 1700000000 [0-9a-f]{64} 0100755 root root /m)
  const root = join(folder, 'root')
  const install = ['rpm', '--root', root, '--dbpath', '/db', '--nodeps']
  mkdirSync(root)
  said(...install, '--ignorearch', '-i', path)
  expect(readFileSync(join(root, 'usr/bin/og'), 'utf8')).toBe(script)
  said(...install, '-e', 'og')
  expect(existsSync(join(root, 'usr/bin/og'))).toBe(false)
}

test('builds packages only for Linux with glibc, with the processor names of each format', () => {
  const names = (target: string) => systemPackages(targetNamed(target)).map(([, file]) => file)
  const number = version.replace('-', '~')
  expect(names('linux-arm64')).toEqual([`og_${number}_arm64.deb`, `og-${number}-1.aarch64.rpm`])
  for (const target of ['linux-x64-musl', 'darwin-arm64', 'windows-x64']) {
    expect(names(target)).toEqual([])
  }
})
