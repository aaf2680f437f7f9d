/**
 * Runs a TypeScript file with Bun after installing everything that is missing: `node
 * scripts/setup.mjs [FILE ARGS…]`. Runs on plain Node 20, because nothing is installed when it
 * starts. Every npm script goes through it; if everything is in place, it costs a few hundredths of
 * a second.
 */
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(fileURLToPath(import.meta.url), '..', '..')
const stamp = join(root, 'node_modules', '.og-stamp')
const bun = join(root, 'node_modules', 'bun', 'bin', 'bun.exe')

function main(args) {
  checkTools(args[0])
  if (!isInstalled()) install()
  else if (bunVersion() === null) installBun()
  if (args.length > 0) runBun(args)
  else say('setup: everything is in place')
}

/**
 * Prints one line for each missing tool; ends the run only if the script cannot work without the
 * tool.
 */
function checkTools(script = '') {
  const major = Number(process.versions.node.split('.')[0])
  if (major < 20) {
    fail(`Cannot run: Node is ${process.versions.node}, 20 or newer is needed`, 'install it')
  }
  if (!answers('git')) {
    const lack = 'git is missing: `og add` needs it for git sources, and so do the tests'
    if (script.endsWith('/test.ts')) fail(lack, "install git with your system's package manager")
    say(`note: ${lack}`)
  }
  const compiler = process.env.CC?.trim() || 'cc'
  if (!answers(...compiler.split(/\s+/))) {
    say(
      `note: no C compiler ("${compiler}" cannot be run): the kernels' JavaScript twins serve,` +
        ' slower; install gcc or clang, or set CC',
    )
  }
}

function answers(command, ...args) {
  return spawnSync(command, [...args, '--version'], { stdio: 'ignore' }).error === undefined
}

/** The stamp is written last, so that an interrupted install is repeated. */
function isInstalled() {
  return existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint()
}

function fingerprint() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`)
  for (const name of [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'scripts/empty/package.json',
  ]) {
    hash.update(`${name}\n`).update(readFileSync(join(root, name)))
  }
  return hash.digest('hex')
}

/**
 * npm's output is long and contains warnings about engines that do not matter under Bun, so it is
 * shown only after a failure.
 */
function install() {
  say('setup: installing packages from the lock file (about 400 MB, once)')
  const ran = npm([
    ...['ci', '--ignore-scripts', '--prefer-offline', '--no-progress', '--loglevel=error'],
    ...['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000', '--fetch-timeout=60000'],
  ])
  if (ran.error) {
    fail(`Cannot install packages: npm cannot be run (${ran.error.code})`, 'install Node with npm')
  }
  if (ran.status !== 0) fail(...explained(`${ran.stderr}\n${ran.stdout}`))
  installBun()
  writeFileSync(stamp, fingerprint())
}

/** Uses the npm that runs this script, if there is one. */
function npm(args) {
  const options = { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }
  const path = process.env.npm_execpath
  if (path && /npm-cli\.c?js$/.test(path))
    return spawnSync(process.execPath, [path, ...args], options)
  const isWindows = process.platform === 'win32'
  return spawnSync(isWindows ? 'npm.cmd' : 'npm', args, { ...options, shell: isWindows })
}

/** Summarizes npm's output in one line, and returns the remedy. */
function explained(output) {
  const lines = output.split('\n').map((line) => line.replace(/^npm (error|ERR!) ?/, '').trim())
  const code = /^code (\S+)/m.exec(lines.join('\n'))?.[1] ?? 'no code'
  const detail = lines.find((line) => line && !/^(code|errno|syscall|A complete log)\b/.test(line))
  const [what, remedy] = remedies.find(([codes]) => codes.test(code))?.slice(1) ?? [
    'npm ci failed',
    'run `npm ci` to see all of it',
  ]
  return [`Cannot install packages: ${what} (${code}${detail ? `: ${detail}` : ''})`, remedy]
}

const remedies = [
  [
    /^(ENOTFOUND|EAI_AGAIN|ECONN|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|ERR_SOCKET|FETCH_ERROR)/,
    'the package registry cannot be reached',
    'check the network and proxy, or name a mirror with `npm config set registry ADDRESS`',
  ],
  [
    /CERT|SELF_SIGNED|UNABLE_TO/,
    "the package registry's certificate is not trusted",
    'set NODE_EXTRA_CA_CERTS to the certificate of your proxy',
  ],
  [/^E40[13]$/, 'the package registry refuses you', 'log in with `npm login`'],
  [/^E404|^ETARGET/, 'the package registry lacks a package', 'name another registry for npm'],
  [/^EUSAGE/, 'package-lock.json does not fit package.json', 'run `npm install` and commit it'],
  [/^EINTEGRITY/, 'a package is not the one that was locked', 'run `npm cache clean --force`'],
  [/^ENOSPC/, 'the disk is full', 'free 1 GB'],
  [/^(EACCES|EPERM|EROFS)/, 'the folder cannot be written', `check who owns ${root}`],
]

/** The package `bun` contains a stub until its own script replaces it with the executable. */
function installBun() {
  const script = join(root, 'node_modules', 'bun', 'install.js')
  const ran = spawnSync(process.execPath, [script], { cwd: root, encoding: 'utf8' })
  if (bunVersion() !== null) return
  const said =
    `${ran.stderr}`.split('\n').find((line) => line.includes('rror')) ?? 'it cannot be run'
  fail(
    `Cannot set up Bun for ${process.platform} ${process.arch}: ${said.trim()}`,
    'remove node_modules and try again; Bun needs Linux, macOS or Windows on x64 or arm64',
  )
}

function bunVersion() {
  const ran = spawnSync(bun, ['--version'], { encoding: 'utf8' })
  return ran.status === 0 ? ran.stdout.trim() : null
}

/** Runs Bun until it ends: passes signals on to it and ends in the same way. */
function runBun(args) {
  const child = spawn(bun, args, { cwd: root, stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    // Ctrl-C in a terminal has already reached the child, and a second one would mean
    // "immediately".
    const isTyped = signal === 'SIGINT' && process.stdin.isTTY
    process.on(signal, () => isTyped || child.kill(signal))
  }
  child.on('error', (error) => fail(`Cannot run Bun: ${error.message}`, 'remove node_modules'))
  child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]))
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

function fail(line, hint) {
  say(`${line}\nhint: ${hint}`)
  process.exit(1)
}

main(process.argv.slice(2))
