import { expect, test } from 'bun:test'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { installerText } from '../../../scripts/release/release.ts'
import { publicKeyOfP256 } from '../../../scripts/release/sign.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { newP256Key, serveRelease, type ReleaseServer } from '../../support/servers/release.ts'
import { testWhere } from '../../support/where.ts'

const text = installerText('install.sh', { releases: '', publicKey: '', publicKeyP256: '' })
const script = '#!/bin/sh\necho 9.9.9\n'
const lack = process.platform === 'linux' ? null : 'the made release is for Linux'

type Machine = {
  folder: string
  server: ReleaseServer
  bin: string
  /** A folder at the front of the search path. */
  path: string
  installer: string
  run(options?: {
    shell?: string[]
    args?: string[]
    env?: Record<string, string>
  }): Promise<{ exitCode: number; said: string }>
}

async function machine(work: (machine: Machine) => Promise<void>): Promise<void> {
  await using temp = await createTempFolder('install')
  const [bin, path] = [join(temp.path, 'bin'), join(temp.path, 'path')]
  mkdirSync(path)
  const installer = join(temp.path, 'install.sh')
  writeFileSync(installer, text)
  using server = await serveRelease(join(temp.path, 'release'), { version: '9.9.9', script })
  await work({
    folder: temp.path,
    server,
    bin,
    path,
    installer,
    async run({ shell = ['sh'], args = [], env = {} } = {}) {
      const child = Bun.spawn([...shell, installer, ...args], {
        env: {
          HOME: temp.path,
          PATH: `${path}:/usr/bin:/bin`,
          SHELL: '/bin/bash',
          OG_INSTALL_DIR: bin,
          OG_BASE_URL: server.base,
          OG_PUBLIC_KEY: server.publicKey,
          ...env,
        },
        stdout: 'pipe',
        stderr: 'pipe',
      })
      const [out, said] = await Promise.all([
        new Response(child.stdout).text(),
        new Response(child.stderr).text(),
      ])
      expect(out).toBe('')
      return { exitCode: await child.exited, said }
    },
  })
}

/** Checks the message of a run that fails, and that it leaves no file behind. */
async function refused(it: Machine, expected: RegExp, options: Parameters<Machine['run']>[0] = {}) {
  const ran = await it.run(options)
  expect(ran.said).toMatch(expected)
  expect(ran.exitCode).toBe(1)
  if (existsSync(it.bin)) expect(readdirSync(it.bin)).toEqual([])
}

const shells = { dash: ['dash'], busybox: ['busybox', 'sh'], bash: ['bash', '--posix'] }
for (const [name, shell] of Object.entries(shells)) {
  const missing = Bun.which(shell[0]!) === null ? `${name} is not here` : lack
  testWhere(missing)(`${name} installs, repeatedly and over an older version`, () =>
    machine(async (it) => {
      for (let turn = 0; turn < 2; turn++) {
        const { exitCode, said } = await it.run({ shell })
        expect(said).toContain(`Installed og 9.9.9 as ${it.bin}/og\n`)
        expect(said).toContain(`export PATH="${it.bin}:$PATH"`)
        expect(said).toContain('source <(og completion bash)')
        expect(exitCode).toBe(0)
      }
      expect(readdirSync(it.bin)).toEqual(['og'])
      expect(readFileSync(join(it.bin, 'og'), 'utf8')).toBe(script)
      const wanted = await it.run({ shell, env: { OG_VERSION: 'v9.9.9' } })
      expect(wanted.exitCode).toBe(0)
      expect(it.server.asked.at(-1)).toStartWith('/download/v9.9.9/og-9.9.9-')
      await it.run({ shell, args: ['--uninstall'] })
      await refused(it, /Cannot uninstall: there is no/, { shell, args: ['--uninstall'] })
    }),
  )
}

testWhere(lack)('does not install a changed, truncated or missing file', () =>
  machine(async (it) => {
    const file = (ending: RegExp) =>
      join(it.server.folder, readdirSync(it.server.folder).find((name) => ending.test(name))!)
    await refused(it, /Cannot fetch .*download\/v1.2.3/, { env: { OG_VERSION: '1.2.3' } })
    it.server.answer = (name) => (name.includes('.tar.') ? new Response('', { status: 404 }) : null)
    await refused(it, /Cannot fetch .*\.tar\../)
    it.server.answer = (name) => (name.includes('.tar.') ? new Response('cut') : null)
    await refused(it, /Cannot trust og-9.9.9-.*: it is not what was released\nhint: its SHA-256/)
    it.server.answer = null
    appendFileSync(file(/^SHA256SUMS$/), `${'0'.repeat(64)}  other\n`)
    await refused(it, /Cannot trust SHA256SUMS: its signature is wrong/)
    expect((await it.run({ args: ['--unsigned'] })).said).toMatch(/^warning: .*\n.*\nInstalled/m)
  }),
)

testWhere(lack)('requires consent if there is no signature, or no program to check it', () =>
  machine(async (it) => {
    it.server.answer = (name) =>
      name.endsWith('.minisig') ? new Response('', { status: 404 }) : null
    await refused(it, /Cannot fetch .*SHA256SUMS.minisig/)
    it.server.answer = null
    await refused(it, /no public key\nhint: .*--unsigned/, { env: { OG_PUBLIC_KEY: '' } })
    const other = 'RWS+K0b7q4D4goDgukpxYUHTcsbxeOP1/mGiraiSTdmMcm+nCWvVJTNm'
    await refused(it, /its signature is wrong/, { env: { OG_PUBLIC_KEY: other } })
  }),
)

/** Makes a search path without some programs of this machine, so that others are used. */
function only(it: Machine, without: string[]): Record<string, string> {
  const folder = join(it.folder, `without-${without.join('-')}`)
  mkdirSync(folder)
  for (const name of [...tools, 'curl', 'wget', 'minisign', 'openssl', 'xz', 'zstd']) {
    const path = Bun.which(name, { PATH: '/usr/bin:/bin' })
    if (path !== null && !without.includes(name)) symlinkSync(path, join(folder, name))
  }
  return { PATH: folder }
}

const tools = [
  'sh',
  'cat',
  'chmod',
  'cmp',
  'getconf',
  'grep',
  'gzip',
  'head',
  'ldd',
  'ls',
  'mkdir',
  'mktemp',
  'mv',
  'rm',
  'sed',
  'sha256sum',
  'tail',
  'tar',
  'uname',
  'tr',
]
const openssl = Bun.which('openssl')
const isNew =
  openssl && /^OpenSSL [3-9]/.test(Bun.spawnSync([openssl, 'version']).stdout.toString())

testWhere(isNew ? lack : 'openssl 3 is not here')(
  'openssl checks the signature if minisign is missing',
  () =>
    machine(async (it) => {
      const shell = ['/bin/sh']
      expect((await it.run({ shell, env: only(it, ['minisign', 'xz', 'zstd']) })).exitCode).toBe(0)
      expect(it.server.asked.at(-1)).toEndWith('.tar.gz')
      const none = only(it, ['minisign', 'openssl'])
      await it.run({ args: ['--uninstall'] })
      await refused(it, /neither minisign nor openssl is here/, { shell, env: none })
      const nothing = only(it, ['curl', 'wget'])
      await refused(it, /neither curl nor wget is here/, { shell, env: nothing })
      const path = join(it.server.folder, 'SHA256SUMS')
      const sums = readFileSync(path, 'utf8')
      writeFileSync(
        path,
        sums.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      )
      await refused(it, /signature is wrong/, { shell, env: only(it, ['minisign', 'curl']) })
    }),
)

/** An openssl as on macOS: LibreSSL 3.3 has no Ed25519, BLAKE2b or `-rawin`. */
const libressl = `echo "$*" >>"$HOME/openssl-calls"
case $1 in
  version) echo 'LibreSSL 3.3.6' ;;
  base64) exec ${openssl} "$@" ;;
  dgst) case $* in *blake2*) exit 1 ;; *) exec ${openssl} "$@" ;; esac ;;
  *) echo "openssl: cannot do $1" >&2; exit 1 ;;
esac`

/** Returns the environment of a machine with LibreSSL 3.3 and without minisign. */
function stockMac(it: Machine): Record<string, string> {
  fake(it, 'openssl', libressl)
  return { PATH: `${it.path}:${only(it, ['minisign', 'openssl']).PATH}` }
}

testWhere(openssl ? lack : 'openssl is not here')('LibreSSL 3.3 checks the P-256 signature', () =>
  machine(async (it) => {
    const { publicKeyP256: own } = it.server
    const mac = stockMac(it)
    const shell = ['/bin/sh']
    const withKey = (OG_PUBLIC_KEY_P256: string) => ({ shell, env: { ...mac, OG_PUBLIC_KEY_P256 } })
    expect(await it.run(withKey(own))).toMatchObject({ exitCode: 0 })
    expect(readFileSync(join(it.folder, 'openssl-calls'), 'utf8')).toMatch(/^dgst -sha256 -verify/m)
    expect(it.server.asked).toContain('/latest/download/SHA256SUMS.ecdsa')
    expect(it.server.asked).not.toContain('/latest/download/SHA256SUMS.minisig')
    await it.run({ ...withKey(own), args: ['--uninstall'] })
    await refused(it, /signature is wrong/, withKey(publicKeyOfP256(newP256Key())))
    await refused(it, /signature is wrong/, withKey('no key'))
    const noKey = /LibreSSL 3.3.6 has no Ed25519, and no P-256 key is known\nhint: .*--unsigned/
    await refused(it, noKey, { shell, env: mac })
    it.server.answer = (name) =>
      name.endsWith('.ecdsa') ? new Response('', { status: 404 }) : null
    await refused(it, /Cannot fetch .*SHA256SUMS.ecdsa/, withKey(own))
    it.server.answer = null
    appendFileSync(join(it.server.folder, 'SHA256SUMS'), `${'0'.repeat(64)}  other\n`)
    await refused(it, /signature is wrong/, withKey(own))
    expect(await it.run({ ...withKey(own), args: ['--unsigned'] })).toMatchObject({ exitCode: 0 })
  }),
)

testWhere(openssl ? lack : 'openssl is not here')("the caller's key replaces both keys of og", () =>
  machine(async (it) => {
    const { publicKey, publicKeyP256 } = it.server
    const own = installerText('install.sh', { releases: '', publicKey, publicKeyP256 })
    writeFileSync(it.installer, own)
    const mac = stockMac(it)
    const shell = ['/bin/sh']
    const none = { shell, env: { ...mac, OG_PUBLIC_KEY: '' } }
    expect(await it.run(none)).toMatchObject({ exitCode: 0 })
    await it.run({ shell, env: mac, args: ['--uninstall'] })
    await refused(it, /no P-256 key is known/, { shell, env: mac })
  }),
)

const lackOfPackers =
  ['xz', 'zstd']
    .filter((name) => Bun.which(name) === null)
    .map((name) => `${name} is not here`)[0] ?? lack

testWhere(lackOfPackers)('downloads the fastest archive that can be unpacked here', () =>
  machine(async (it) => {
    const env = (without: string[]) => ({ shell: ['/bin/sh'], env: only(it, without) })
    const installed = async (ending: string, without: string[]) => {
      const { exitCode, said } = await it.run(env(without))
      expect({ exitCode, said }).toMatchObject({ exitCode: 0 })
      expect(it.server.asked.at(-1)).toEndWith(ending)
      await it.run({ args: ['--uninstall'] })
    }
    await installed('.tar.zst', ['xz'])
    await installed('.tar.xz', ['zstd'])
    await release(it, ['tar.gz'])
    await installed('.tar.gz', ['wget'])
    await release(it, ['tar.zst', 'tar.xz'])
    const said = /no program here unpacks what this release has for .*\nhint: install zstd or xz/
    await refused(it, said, env(['xz', 'zstd', 'wget']))
  }),
)

/** Replaces the served release by one with archives of only these kinds. */
async function release(it: Machine, kinds: string[]): Promise<void> {
  const folder = join(it.folder, kinds.join())
  using other = await serveRelease(folder, { version: '9.9.9', script, kinds })
  it.server.answer = (name) => new Response(Bun.file(join(folder, name)))
  it.server.publicKey = other.publicKey
}

function fake(it: Machine, name: string, text: string): void {
  writeFileSync(join(it.path, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 })
}

testWhere(lack)('reports an unsupported system before fetching anything', () =>
  machine(async (it) => {
    const uname = (system: string, machine: string) =>
      fake(it, 'uname', `[ "$1" = -s ] && echo ${system} || echo ${machine}`)
    uname('Linux', 'riscv64')
    await refused(it, /there is no og for riscv64/)
    uname('FreeBSD', 'x86_64')
    await refused(it, /there is no og for FreeBSD/)
    uname('Darwin', 'x86_64')
    await refused(it, /there is no og for Intel Macs/)
    expect(it.server.asked).toEqual([])
    fake(it, 'sysctl', 'echo 1')
    await refused(it, /this release has no og for darwin-arm64/)
    uname('Linux', 'x86_64')
    fake(it, 'getconf', 'exit 1')
    fake(it, 'ldd', 'echo "musl libc (x86_64)" >&2; exit 1')
    await refused(it, /this release has no og for linux-x64-musl/)
    fake(it, 'grep', 'case "$*" in *avx2*) exit 1 ;; esac; exec /bin/grep "$@"')
    await refused(it, /this processor has no AVX2/)
  }),
)

testWhere(lack)('reports a folder without write access, a full disk, and a server that hangs', () =>
  machine(async (it) => {
    // Not even root can create a folder there.
    const env = { OG_INSTALL_DIR: '/proc/og/bin' }
    await refused(it, /Cannot create \/proc\/og\/bin\nhint: set OG_INSTALL_DIR/, { env })
    fake(it, 'curl', 'exit 23')
    await refused(it, /Cannot write .*: is the disk full\?/)
    fake(it, 'curl', 'exec /usr/bin/curl --retry-delay 1 "$@"')
    it.server.answer = (name) => (name.includes('.tar.') ? new Response(silence()) : null)
    await refused(it, /Cannot fetch /, { env: { OG_PATIENCE: '1' } })
  }),
)

/** A body that stops after its first bytes. */
function silence(): ReadableStream {
  return new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(10)) })
}

testWhere(lack)('keeps the old version after an interrupted or failed installation', () =>
  machine(async (it) => {
    mkdirSync(it.bin)
    writeFileSync(join(it.bin, 'og'), 'the old one')
    const asked = Promise.withResolvers<void>()
    it.server.answer = (name) => {
      if (!name.includes('.tar.')) return null
      asked.resolve()
      return new Response(silence())
    }
    const running = Bun.spawn(['setsid', 'sh', it.installer], {
      env: {
        PATH: '/usr/bin:/bin',
        OG_INSTALL_DIR: it.bin,
        OG_BASE_URL: it.server.base,
        OG_PUBLIC_KEY: it.server.publicKey,
      },
      stderr: 'ignore',
    })
    await asked.promise
    process.kill(-running.pid, 'SIGTERM')
    expect(await running.exited).toBe(143)
    expect(readdirSync(it.bin)).toEqual(['og'])
    it.server.answer = null
    const half = text
    const cut = join(it.folder, 'cut.sh')
    writeFileSync(cut, half)
    truncateSync(cut, half.length - 10)
    const ran = Bun.spawnSync(['sh', cut], { env: { PATH: '/usr/bin:/bin', HOME: it.folder } })
    expect(ran.stdout.toString()).toBe('')
    expect(readFileSync(join(it.bin, 'og'), 'utf8')).toBe('the old one')
    using broken = await serveRelease(join(it.folder, 'broken'), {
      version: '9.9.9',
      script: '#!/bin/sh\necho "no such processor" >&2\nexit 132\n',
    })
    const env = { OG_BASE_URL: broken.base, OG_PUBLIC_KEY: broken.publicKey }
    expect((await it.run({ env })).said).toMatch(/Cannot run og here: no such processor/)
    expect(readFileSync(join(it.bin, 'og'), 'utf8')).toBe('the old one')
  }),
)

const windows = installerText('install.ps1', {
  releases: 'https://a.example',
  publicKey: 'RWkey',
  publicKeyP256: '',
})

test('install.ps1 has the same variables and release files as install.sh', () => {
  const variables = (script: string) => new Set(script.match(/\bOG_[A-Z_]+/g))
  expect(variables(windows)).toEqual(
    variables(
      text
        .replaceAll('OG_PATIENCE', '')
        .replaceAll('OG_CACHE_DIR', '')
        .replaceAll('OG_PUBLIC_KEY_P256', ''),
    ),
  )
  expect(windows).toContain("'https://a.example'")
  expect(windows).toContain("'RWkey'")
  // Windows PowerShell reads a file without byte order mark in the code page of the system.
  expect(windows).toMatch(/^[\x20-\x7e\n]*$/)
})

const powershell = Bun.which('pwsh') ?? Bun.which('powershell')
testWhere(powershell ? null : 'PowerShell is not here')('PowerShell can parse install.ps1', () =>
  machine(async (it) => {
    const path = join(it.folder, 'install.ps1')
    writeFileSync(path, windows)
    const parse = '[void][ScriptBlock]::Create((Get-Content -Raw $args[0]))'
    const ran = Bun.spawnSync([powershell!, '-NoProfile', '-Command', `& { ${parse} } '${path}'`])
    expect(ran.stderr.toString()).toBe('')
    expect(ran.exitCode).toBe(0)
  }),
)
