/**
 * Runs one smoke suite on the executables of `npm run release`, each in its own home: `npm run
 * test:platforms [-- TARGET…]`. linux-arm64 runs under qemu-user, windows-x64 under wine
 * (`WINEPREFIX` names a prefix), linux-x64-musl by Debian's musl (`MUSL_LIBRARIES` names a folder).
 * docs/reference/platforms.md lists the files that both need. Targets that cannot run on this
 * machine are skipped with a reason. The last line is `N passed, N failed, N skipped`.
 */
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { version } from '../../package.json'
import { executableName, targetNamed, targets, type Target } from '../build/target.ts'

/**
 * The command and environment that run an executable on this machine, or the reason why it cannot
 * run. `lacks` maps each step that this runner cannot perform to the reason.
 */
type Runner =
  | { words: string[]; env?: Record<string, string>; lacks?: Record<string, string> }
  | { reason: string }

type Bench = { words: string[]; env: Record<string, string>; folder: string }
type Ran = { code: number; stdout: string; stderr: string }
type Step = [name: string, work: (bench: Bench) => Promise<string | null>]

const root = join(import.meta.dir, '../..')
const prefix = '/usr/aarch64-linux-gnu'
const winePrefix = process.env.WINEPREFIX ?? ''
const mend = join(import.meta.dir, 'wine-rm.cjs')

/** Registers the emulator in its own namespace, because og starts other og processes. */
const elfHeader = String.raw`\x7fELF\x02\x01\x01${String.raw`\x00`.repeat(9)}\x02\x00\xb7\x00`
const anyByte = String.raw`\xff`
const elfMask =
  anyByte.repeat(7) + String.raw`\x00` + anyByte.repeat(8) + String.raw`\xfe` + anyByte.repeat(3)
const qemuRule = `:qemu-og:M::${elfHeader}:${elfMask}:/usr/bin/qemu-aarch64-static:F`
const qemu =
  'mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc && ' +
  `printf '%s' '${qemuRule}' > /proc/sys/fs/binfmt_misc/register && exec "$@"`

const muslLoader = '/lib/ld-musl-x86_64.so.1'

/** Mounts the folder's musl, if there is one, over the system's musl in its own namespace. */
const newerMusl = `if [ -e "$0/libc.so" ]; then
  mount --bind "$0/libc.so" "$(readlink -f ${muslLoader})" || exit
fi; exec "$@"`

function runnerOf({ name, platform, arch }: Target): Runner {
  if (platform === 'darwin') return { reason: 'built, never executed: no macOS here' }
  if (platform === 'win32') {
    const wine = Bun.which('wine64') ?? '/usr/lib/wine/wine64'
    if (!existsSync(wine)) return { reason: 'wine is not here' }
    const library = join(winePrefix, 'drive_c/windows/system32')
    const lack = ['zlib1.dll', 'bcryptprimitives.dll'].find((it) => !existsSync(join(library, it)))
    if (lack) return { reason: `the wine prefix holds no ${lack}` }
    const env = { WINEPREFIX: winePrefix, WINEDEBUG: '-all', DISPLAY: '' }
    const lacks = { 'mcp over stdio': 'under wine 8 Bun reads no pipe as its stdin' }
    return { words: [wine], env: { ...env, BUN_OPTIONS: `--preload Z:${mend}` }, lacks }
  }
  if (name.endsWith('-musl')) {
    const isSystem = ['/lib', '/usr/lib'].some((it) => existsSync(`${it}/libc.musl-x86_64.so.1`))
    if (isSystem) return { words: [] }
    const folder = process.env.MUSL_LIBRARIES
    if (!folder) return { reason: 'this is no musl system, and MUSL_LIBRARIES names no folder' }
    if (!existsSync(muslLoader)) return { reason: `${muslLoader} is not here` }
    const words = ['unshare', '-Urm', 'sh', '-c', newerMusl, folder]
    return { words, env: { LD_LIBRARY_PATH: folder } }
  }
  if (arch === process.arch) return { words: [] }
  if (!existsSync('/usr/bin/qemu-aarch64-static')) return { reason: 'qemu-user-static is not here' }
  if (!existsSync(prefix)) return { reason: `${prefix} is not here: libc6-arm64-cross` }
  const words = ['unshare', '-Urm', 'sh', '-c', qemu, 'sh']
  const isAllowed = Bun.spawnSync([...words, 'true']).exitCode === 0
  if (!isAllowed) return { reason: 'binfmt_misc cannot be mounted in a namespace here' }
  return { words, env: { QEMU_LD_PREFIX: prefix } }
}

async function og({ words, env, folder }: Bench, args: string[]): Promise<Ran> {
  const child = Bun.spawn([...words, ...args], {
    cwd: folder,
    env,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 900_000,
  })
  const [stdout, stderr] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, stdout, stderr }
}

/** Returns a step that runs og and fails unless the output matches `expected`. */
function step(name: string, args: string[], expected: RegExp): Step {
  return [
    name,
    async (bench) => {
      const ran = await og(bench, args)
      if (expected.test(ran.stdout + ran.stderr)) return null
      const said = `${ran.stdout}${ran.stderr}`.trim().split('\n')
      return `code ${ran.code}: ${said.find((line) => /error|FAIL/.test(line)) ?? said.at(-1)}`
    },
  ]
}

const hello = `${JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'smoke', version: '1' },
  },
})}\n`

const steps: Step[] = [
  step('version', ['version'], new RegExp(`^${version.replaceAll('.', '\\.')}\r?\n`)),
  step('doctor', ['doctor', '--offline'], /ok {4}trial without network/),
  step('add', ['add', 'kettle', '--source', 'docs', '--version', '1'], /kettle 1: added/),
  step('query by name', ['query', 'setTimer', '--json'], /"url": ".*kettle\.md/),
  step('query by meaning', ['query', 'scale in the boiler', '--json'], /"url": ".*kettle\.md/),
  [
    'get',
    async (bench) => {
      const hits = JSON.parse((await og(bench, ['query', 'limescale', '--json'])).stdout).hits
      const { code, stdout } = await og(bench, ['get', hits[0].url])
      return code === 0 && /Vinegar/.test(stdout) ? null : `code ${code}: ${stdout.slice(0, 200)}`
    },
  ],
  [
    'update',
    async (bench) => {
      await writeFile(join(bench.folder, 'docs', 'cup.md'), '# Cup\r\n\r\nThe cup holds tea.\r\n')
      const { code, stderr, stdout } = await og(bench, ['update', 'kettle'])
      return code === 0 ? null : `code ${code}: ${stderr}${stdout}`
    },
  ],
  ['mcp over stdio', overStdio],
  ['mcp over HTTP', served],
  step('memory write', ['memory', 'write', 'Deploys go out on Tuesdays.'], /Added entry/),
  step('memory search', ['memory', 'search', 'when do deploys go out'], /Tuesdays/),
  step('upgrade', ['upgrade', '--check'], /this build has no release URL/),
  step('completion', ['completion', 'bash'], /complete /),
]

async function overStdio({ words, env, folder }: Bench): Promise<string | null> {
  const child = Bun.spawn([...words, 'mcp'], {
    cwd: folder,
    env,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'ignore',
    timeout: 120_000,
  })
  try {
    child.stdin.write(hello)
    child.stdin.flush()
    let said = ''
    for await (const piece of child.stdout) {
      said += Buffer.from(piece).toString()
      if (/"serverInfo"/.test(said)) return null
    }
    return `it ended: ${said}`
  } finally {
    child.kill()
    await child.exited
  }
}

/** Sends a request to the URL on the first line that `og serve` prints. */
async function served({ words, env, folder }: Bench): Promise<string | null> {
  const child = Bun.spawn([...words, 'serve', '--port', '0'], {
    cwd: folder,
    env,
    stdout: 'pipe',
    stderr: 'ignore',
    timeout: 120_000,
  })
  let said = ''
  try {
    for await (const piece of child.stdout) {
      said += Buffer.from(piece).toString()
      const address = /http:\/\/127\.0\.0\.1:\d+\/mcp/.exec(said)?.[0]
      if (address === undefined) continue
      const answer = await fetch(address, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: hello,
      })
      return /"serverInfo"/.test(await answer.text()) ? null : `it answers ${answer.status}`
    }
    return `it ended: ${said}`
  } finally {
    child.kill()
    await child.exited
  }
}

const kettle =
  '# Kettle\r\n\r\nThe kettle boils water.\r\n\r\n## Descaling\r\n\r\nVinegar removes ' +
  'limescale.\r\n\r\n## Timer\r\n\r\nCall `kettle.setTimer(5)` to wait.\r\n'

/** Runs the steps, prints each result, and counts the passed, failed and skipped ones. */
async function smoke(
  target: Target,
  { words, env: needed, lacks = {} }: Extract<Runner, { words: string[] }>,
): Promise<Sums> {
  const folder = await mkdtemp(join(tmpdir(), `og-smoke-${target.name}-`))
  await mkdir(join(folder, 'docs'))
  await writeFile(join(folder, 'docs', 'kettle.md'), kettle)
  const executable = join(root, 'build', 'release', target.name, executableName(target))
  const env = { HOME: folder, PATH: '/usr/bin:/bin', ...needed }
  if (target.platform === 'win32') await forgetInPrefix()
  const sums: Sums = { passed: 0, failed: 0, skipped: 0 }
  for (const [name, work] of steps) {
    if (lacks[name] !== undefined) {
      say(`${target.name}: skipped ${name}: ${lacks[name]}`)
      sums.skipped++
      continue
    }
    const started = performance.now()
    const fault = await work({ words: [...words, executable], env, folder }).catch(String)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    sums[fault === null ? 'passed' : 'failed']++
    say(`${target.name}: ${fault === null ? 'ok  ' : 'FAIL'} ${name} (${seconds} s) ${fault ?? ''}`)
  }
  await rm(folder, { recursive: true, force: true })
  return sums
}

type Sums = { passed: number; failed: number; skipped: number }

/**
 * Deletes og's data from an earlier run, which would still be there for the users of the wine
 * prefix.
 */
async function forgetInPrefix(): Promise<void> {
  const users = join(winePrefix, 'drive_c/users')
  for (const user of await readdir(users)) {
    await rm(join(users, user, 'AppData/Local/og'), { recursive: true, force: true })
  }
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

const wanted = process.argv.slice(2).map(targetNamed)
const sums: Sums = { passed: 0, failed: 0, skipped: 0 }
for (const target of wanted.length > 0 ? wanted : targets) {
  const runner = runnerOf(target)
  const isBuilt = existsSync(join(root, 'build', 'release', target.name, executableName(target)))
  if ('words' in runner && isBuilt) {
    const own = await smoke(target, runner)
    for (const key of ['passed', 'failed', 'skipped'] as const) sums[key] += own[key]
    continue
  }
  const reason = 'reason' in runner ? runner.reason : 'npm run release builds it'
  say(`${target.name}: skipped: ${reason}`)
  sums.skipped += steps.length
}
process.stdout.write(`${sums.passed} passed, ${sums.failed} failed, ${sums.skipped} skipped\n`)
process.exitCode = sums.failed > 0 ? 1 : 0
