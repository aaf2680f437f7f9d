import { describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import {
  createFile,
  createTempFolder,
  writeFileAtomically,
} from '../../../src/platform/file/files.ts'
import { until } from '../../support/until.ts'
import { disposeAfterAll } from '../../support/run/dispose.ts'

const temp = disposeAfterAll(await createTempFolder('og-test'))

describe('writeFileAtomically', () => {
  test('creates or replaces a file, without leftovers', async () => {
    const path = join(temp.path, 'a.json')
    await writeFileAtomically(path, 'one')
    await writeFileAtomically(path, new Uint8Array([50]))
    expect(readFileSync(path, 'utf8')).toBe('2')
    expect(readdirSync(temp.path)).toEqual(['a.json'])
  })

  test('keeps the mode of a file, and a link stays a link', async () => {
    const path = join(temp.path, 'private')
    const link = join(temp.path, 'link')
    writeFileSync(path, 'one')
    chmodSync(path, 0o600)
    symlinkSync(path, link)
    await writeFileAtomically(link, 'two')
    expect(readFileSync(path, 'utf8')).toBe('two')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
  })

  test('leaves no temporary file if writing fails', async () => {
    const folder = join(temp.path, 'folder', 'missing')
    await expect(writeFileAtomically(folder, 'x')).rejects.toThrow('ENOENT')
    await expect(writeFileAtomically(temp.path, 'x')).rejects.toThrow()
    const beside = readdirSync(join(temp.path, '..'))
    expect(beside.filter((name) => name.startsWith('.og-test'))).toEqual([])
  })
})

describe('a temporary folder', () => {
  const modules = join(import.meta.dir, '../../../src/platform')
  const script = `
    import { createTempFolder } from '${modules}/file/files.ts'
    import { startProgram } from '${modules}/subprocess.ts'
    const temp = await createTempFolder('og-test')
    await Bun.write(temp.path + '/sub/a', 'x')
    const child = startProgram(['sh', '-c', 'sleep 60 & echo $!; wait'],
      { cwd: temp.path, env: process.env })
    const reader = child.stdout.getReader()
    const { value } = await reader.read()
    console.log(temp.path + ' ' + new TextDecoder().decode(value).trim())`

  /** Checks whether the folder and the grandchild process exist after the script has ended. */
  async function check(end: string, signal: NodeJS.Signals | null, expected: object) {
    const child = Bun.spawn([process.execPath, '-e', script + end], {
      stdout: 'pipe',
      stderr: 'ignore',
    })
    const reader = child.stdout.getReader()
    const [path, pid] = new TextDecoder()
      .decode((await reader.read()).value)
      .trim()
      .split(' ')
    if (signal) child.kill(signal)
    await child.exited
    const { exitCode, signalCode } = child
    expect({ exitCode, signalCode }).toMatchObject(expected)
    expect(existsSync(path!)).toBe(false)
    await until('the grandchild has ended', () => !isRunning(Number(pid)))
  }

  const waits = '\nawait Bun.sleep(60_000)'
  test('removes the folder after SIGINT', () => check(waits, 'SIGINT', { signalCode: 'SIGINT' }))
  test('removes the folder after SIGTERM', () => check(waits, 'SIGTERM', { signalCode: 'SIGTERM' }))
  test('removes the folder after an exception', () =>
    check('\nthrow new Error("x")', null, { exitCode: 1 }))
  test('removes the folder after process.exit', () =>
    check('\nprocess.exit(3)', null, { exitCode: 3 }))
  test('removes the folder if another listener ends the process', () =>
    check(`\nprocess.on('SIGINT', () => process.exit(130))${waits}`, 'SIGINT', { exitCode: 130 }))

  test('removes the folder at the end of its scope, without leaving a listener', async () => {
    const before = process.listenerCount('SIGTERM')
    let path = ''
    {
      await using folder = await createTempFolder('og-test')
      path = folder.path
      expect(statSync(path).mode & 0o777).toBe(0o700)
    }
    expect(existsSync(path)).toBe(false)
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})

function isRunning(pid: number): boolean {
  const status = `/proc/${pid}/stat`
  if (existsSync('/proc/self')) {
    return existsSync(status) && !/\) Z/.test(readFileSync(status, 'utf8'))
  }
  return Bun.spawnSync(['kill', '-0', String(pid)]).exitCode === 0
}

test('creates a complete file, and keeps an existing one', async () => {
  await using folder = await createTempFolder('og create')
  const path = join(folder.path, 'a')
  expect(await Promise.all([createFile(path, 'one'), createFile(path, 'two')])).toSatisfy(
    (made) => made.filter(Boolean).length === 1,
  )
  const text = readFileSync(path, 'utf8')
  expect(await createFile(path, 'three')).toBe(false)
  expect(readFileSync(path, 'utf8')).toBe(text)
  expect(readdirSync(folder.path)).toEqual(['a'])
})

test('reports in one line why no temporary folder can be created', async () => {
  const script = `
    import { createTempFolder } from '${join(import.meta.dir, '../../../src/platform/file/files.ts')}'
    await createTempFolder('og-test').catch((error) => console.log(error.message + '|' + error.hint))`
  const file = join(temp.path, 'a-file')
  writeFileSync(file, '')
  for (const [folder, why] of [
    ['/nonexistent/a', 'there is no such folder'],
    [file, 'it is not a folder'],
    ['/proc', process.platform === 'linux' ? '' : 'there is no such folder'],
  ] as const) {
    const env = { ...process.env, TMPDIR: folder }
    const ran = Bun.spawnSync([process.execPath, '-e', script], { env })
    const said = ran.stdout.toString()
    expect(said).toStartWith(`Cannot create a temporary folder in "${folder}": ${why}`)
    expect(said).toEndWith('|set TMPDIR to a writable folder\n')
  }
})

const program = join(import.meta.dir, '../..', 'support', 'programs', 'releaser.ts')

/** Checks the program's exit code, its output, and the output of its releases. */
function ended(way: string, by = '') {
  const child = Bun.spawnSync([process.execPath, program, way, by], {
    env: { ...process.env, NO_COLOR: '1' },
    timeout: 60_000,
    killSignal: 'SIGKILL',
  })
  const [unheard, heard, after, ...released] = child.stdout.toString().trimEnd().split('\n')
  expect([unheard, heard, after]).toEqual(['0 0 0', '1 1 1', '0 0 0'])
  const faults = child.stderr
    .toString()
    .split('\n')
    .filter((line) => line.startsWith('og: '))
  return { end: child.signalCode ?? child.exitCode, released, faults }
}

const all = {
  released: ['last', 'second', 'first'],
  faults: ['og: clean-up at exit failed: Error: no such folder'],
}

test('runs all releases at exit, last first, even if one fails', () => {
  expect(ended('')).toEqual({ end: 0, ...all })
  expect(ended('exit')).toEqual({ end: 3, ...all })
  expect(ended('error')).toEqual({ end: 1, ...all })
})

test('runs all releases on a signal that has no other listener, and then ends the process', () => {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    expect(ended('signal', signal)).toMatchObject({ end: signal, ...all })
  }
})

test('lets another listener of the signal decide', () => {
  const { released, ...rest } = ended('listened', 'SIGTERM')
  expect(released).toEqual(['listened', ...all.released])
  expect(rest).toEqual({ end: 4, faults: all.faults })
})
