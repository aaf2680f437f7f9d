import { afterAll, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const repository = join(import.meta.dir, '..', '..')
const scratch = mkdtempSync(join(tmpdir(), 'og-setup-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const bun = '#!/bin/sh\n[ $1 = --version ] && exit 0\necho bun $@\nexit 7\n'

/** Stands in for npm: counts its calls, and installs a Bun whose install script has not run yet. */
function installing(executable: string): string {
  const finish = `require('node:fs').writeFileSync(
    'node_modules/bun/bin/bun.exe', ${JSON.stringify(executable)}, { mode: 0o755 })`
  return `
    const fs = require('node:fs')
    fs.appendFileSync('calls', process.argv.slice(2, 4).join(' ') + '\\n')
    fs.rmSync('node_modules', { recursive: true, force: true })
    fs.mkdirSync('node_modules/bun/bin', { recursive: true })
    fs.writeFileSync('node_modules/bun/bin/bun.exe', '#!/stub', { mode: 0o755 })
    fs.writeFileSync('node_modules/bun/install.js', ${JSON.stringify(finish)})`
}

function failing(output: string): string {
  return `process.stderr.write(${JSON.stringify(output)}); process.exitCode = 1`
}

/** A folder with the script, the files that it reads, and a program instead of npm. */
function checkout(name: string, npm: string): string {
  const folder = join(scratch, name)
  for (const path of [
    'package.json',
    'package-lock.json',
    '.npmrc',
    'scripts/setup.mjs',
    'scripts/empty/package.json',
  ]) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    copyFileSync(join(repository, path), join(folder, path))
  }
  writeFileSync(join(folder, 'npm-cli.cjs'), npm)
  return folder
}

/** Runs the script with only these programs on the search path. */
function setUp(folder: string, args: string[], { tools = ['git', 'cc'] } = {}) {
  const bin = join(folder, `bin-${tools.join('-')}`)
  mkdirSync(bin, { recursive: true })
  for (const tool of tools) {
    writeFileSync(join(bin, tool), '#!/bin/sh\n')
    chmodSync(join(bin, tool), 0o755)
  }
  if (!Bun.which('sh', { PATH: bin })) symlinkSync(Bun.which('sh')!, join(bin, 'sh'))
  const ran = Bun.spawnSync([Bun.which('node')!, 'scripts/setup.mjs', ...args], {
    cwd: folder,
    env: { PATH: bin, npm_execpath: join(folder, 'npm-cli.cjs') },
  })
  return { code: ran.exitCode, stdout: `${ran.stdout}`, stderr: `${ran.stderr}` }
}

const installed = 'setup: installing packages from the lock file (about 400 MB, once)\n'

test('installs on the first run only, and passes on arguments and exit code', () => {
  const folder = checkout('twice', installing(bun))
  const run = { code: 7, stdout: 'bun a.ts -x y z\n' }
  expect(setUp(folder, ['a.ts', '-x', 'y z'])).toEqual({ ...run, stderr: installed })
  expect(setUp(folder, ['a.ts', '-x', 'y z'])).toEqual({ ...run, stderr: '' })
  expect(readFileSync(join(folder, 'calls'), 'utf8')).toBe('ci --ignore-scripts\n')
})

test('installs again after the lock file changed or an installation was interrupted', () => {
  const folder = checkout('changed', installing(bun))
  setUp(folder, [])
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  expect(setUp(folder, []).stderr).toStartWith(installed)
  rmSync(join(folder, 'node_modules', '.og-stamp'))
  expect(setUp(folder, []).stderr).toStartWith(installed)
})

function checkFailure(npmOutput: string, expected: string): void {
  const { code, stdout, stderr } = setUp(checkout('failing', failing(npmOutput)), ['a.ts'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toBe(`${installed}Cannot install packages: ${expected}\n`)
}

test('turns an npm error into one line and a hint', () => {
  checkFailure(
    'npm error code ECONNREFUSED\nnpm error errno X\nnpm error connect failed\nnpm error more',
    'the package registry cannot be reached (ECONNREFUSED: connect failed)\n' +
      'hint: check the network and proxy, or name a mirror with `npm config set registry ADDRESS`',
  )
  checkFailure(
    'npm ERR! code ENOSPC\nnpm ERR! write',
    'the disk is full (ENOSPC: write)\nhint: free 1 GB',
  )
  checkFailure('it broke', 'npm ci failed (no code: it broke)\nhint: run `npm ci` to see all of it')
})

test('stops if git is missing, and only warns about other missing tools', () => {
  const folder = checkout('tools', installing(bun))
  const lack = 'git is missing: `og add` needs it for git sources, and so do the tests\n'
  const ended = setUp(folder, ['scripts/test.ts'], { tools: ['cc'] })
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: `${lack}hint: install git with your system's package manager\n`,
  })
  const noted = setUp(folder, ['a.ts'], { tools: ['cc'] })
  expect(noted).toMatchObject({ code: 7, stderr: `note: ${lack}${installed}` })
  expect(setUp(folder, ['a.ts'], { tools: ['git'] }).stderr).toBe(
    'note: no C compiler ("cc" cannot be run): the kernels\' JavaScript twins serve, slower; ' +
      'install gcc or clang, or set CC\n',
  )
})

test('reports a Bun that cannot run, and tries again on the next run', () => {
  const folder = checkout('broken', installing('#!/nowhere'))
  const { code, stderr } = setUp(folder, ['a.ts'])
  expect(code).toBe(1)
  expect(stderr).toStartWith(`${installed}Cannot set up Bun for `)
  expect(stderr).toContain(': it cannot be run\nhint: remove node_modules and try again; ')
  expect(setUp(folder, ['a.ts']).stderr).toStartWith(installed)
})
