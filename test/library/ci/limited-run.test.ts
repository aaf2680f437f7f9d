import { expect, test } from 'bun:test'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { runLimited } from '../../../src/library/ci/build-list.ts'
import { until } from '../../support/until.ts'
import { testWhere } from '../../support/where.ts'

const options = { cwd: '/', env: { PATH: process.env.PATH! } }
const wide = () => ({ deadline: performance.now() + 60_000, memoryBytes: 1e12 })

test('returns the output and exit code of a program', async () => {
  const ran = await runLimited(['sh', '-c', 'echo out; echo err >&2; exit 3'], options, wide())
  expect(ran).toEqual({ exitCode: 3, stdout: 'out\n', stderr: 'err\n' })
})

test('stops a program at its time limit', async () => {
  const run = runLimited(['sleep', '100'], options, { ...wide(), deadline: performance.now() + 50 })
  await expect(run).rejects.toThrow('takes longer than --time-limit allows')
})

const linux = process.platform === 'linux' ? null : 'memory is looked up in /proc'
/** Differs from the time of other runs on this machine. */
const seconds = String(1e7 + process.pid)
const sleeps = () =>
  readdirSync('/proc').filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `sleep\0${seconds}\0`
    } catch {
      return false
    }
  })

testWhere(linux)(
  'stops a program at its memory limit, with all processes that it started',
  async () => {
    await using temp = await createTempFolder('og-limited')
    const seen = join(temp.path, 'seen')
    const grow = `const a = [], { existsSync } = require('fs')
      setInterval(() => existsSync('${seen}') && a.push(Buffer.alloc(8e6, 1)), 5)`
    const script = `setsid sleep ${seconds} & exec ${process.execPath} -e "$0"`
    const command = ['sh', '-c', script, grow]
    const run = runLimited(command, options, { ...wide(), memoryBytes: 300e6 })
    await until('it sleeps', () => sleeps().length === 1)
    writeFileSync(seen, '')
    await expect(run).rejects.toThrow('takes over 300 MB of memory (--memory)')
    await until('its sleep has ended', () => sleeps().length === 0)
  },
)

test('stops a program at an abort', async () => {
  const controller = new AbortController()
  const run = runLimited(['sleep', '100'], { ...options, signal: controller.signal }, wide())
  controller.abort(new Error('Interrupted'))
  await expect(run).rejects.toThrow('Interrupted')
})
