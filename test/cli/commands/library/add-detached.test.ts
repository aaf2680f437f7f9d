import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openHandover, waitForJob } from '../../../../src/cli/commands/library/jobs.ts'
import type { Context } from '../../../../src/cli/context.ts'
import { openTerminal } from '../../../../src/cli/terminal.ts'
import { noProgress } from '../../../../src/library/library.ts'
import { createTempFolder } from '../../../../src/platform/file/files.ts'
import { chunks, sink } from '../../../support/run-og.ts'
import { openEach } from '../../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-detached'))

async function wait(exitCode: number | null | 'unknown', { out = '', log = '' } = {}) {
  writeFileSync(join(temp().path, 'out'), out)
  writeFileSync(join(temp().path, 'log'), log)
  const [stdout, stderr] = [sink(false), sink(false)]
  const stdin = Object.assign(chunks(''), { isTTY: false })
  const terminal = openTerminal({ stdin, stdout, stderr }, {})
  const context = { terminal, interruption: () => new AbortController().signal } as Context
  const job = { path: temp().path, exitCode: () => exitCode }
  const isEnough = ({ isSearchable }: { isSearchable: boolean }) => isSearchable
  const code = await waitForJob(context, job, { library: 'zoo', json: false, isEnough }).finally(
    () => terminal.flush(),
  )
  return { code, stdout: stdout.text(), stderr: stderr.text() }
}

test('returns as soon as the library is searchable', async () => {
  const progress = JSON.stringify({ ...noProgress, version: '2', isSearchable: true })
  expect(await wait(null, { log: `zoo: docs in /docs\n${progress}\n` })).toEqual({
    code: null,
    stdout: 'zoo 2: searchable now; its embeddings follow\n',
    stderr: 'zoo: docs in /docs\nhint: og jobs zoo --follow shows their progress\n',
  })
})

test('prints the output of a finished job as its own output', async () => {
  const log = 'error: Cannot read source\nhint: look for it\n'
  expect(await wait(2, { log })).toEqual({ code: 2, stdout: '', stderr: log })
  const result = { library: 'zoo', version: '2', status: 'updated', pages: 3, chunks: 4 }
  const whole = { ...result, embedded: 4, diff: {}, skipped: [], failed: [], kept: 0, seconds: 1 }
  const { stdout } = await wait(0, { out: JSON.stringify({ results: [whole], failures: [] }) })
  expect(stdout).toStartWith('zoo 2: updated\n')
  await expect(wait('unknown')).rejects.toThrow('The job of "zoo" was killed')
})

function handover({ isTyped = false, atOnce = false, isTerminal = true } = {}) {
  const stderr = sink(isTerminal)
  const stdin = Object.assign(chunks(isTyped ? '\n' : ''), { isTTY: isTerminal })
  const terminal = openTerminal({ stdin, stdout: sink(false), stderr }, {})
  const interruption = new AbortController()
  const context = { terminal, interruption: () => interruption.signal }
  return { ...openHandover(context, { atOnce }), interruption, stderr }
}

const embedding = { ...noProgress, version: '2', phase: 'embedding' as const }

test('offers a version that became searchable, and Enter leaves its embeddings', async () => {
  const typed = handover({ isTyped: true })
  typed.report({ ...embedding, phase: 'indexing' }, 'zoo')
  typed.report({ ...embedding, isSearchable: true }, 'zoo')
  await Bun.sleep(10)
  expect(typed.isLeft()).toBe(true)
  expect(typed.signal.aborted).toBe(true)
  expect(typed.stderr.text()).toContain('zoo 2: searchable now; press Enter')
  const silent = handover()
  silent.report(embedding, 'zoo')
  silent.report({ ...embedding, isSearchable: true }, 'zoo')
  await Bun.sleep(10)
  expect(silent.isLeft()).toBe(false)
})

test('offers nothing in a pipe, or if an older state could be searched before', async () => {
  const searchable = { ...embedding, isSearchable: true }
  const piped = handover({ isTyped: true, isTerminal: false })
  piped.report(embedding, 'zoo')
  piped.report(searchable, 'zoo')
  const older = handover({ isTyped: true, atOnce: true })
  older.report(searchable, 'zoo')
  older.report(searchable, 'zoo')
  await Bun.sleep(10)
  for (const it of [piped, older]) {
    expect(it.isLeft()).toBe(false)
    expect(it.stderr.text()).toBe('')
  }
})

test('leaves the embeddings at once with --detach, but not after Ctrl-C', () => {
  const detached = handover({ atOnce: true })
  detached.report(embedding, 'zoo')
  detached.report({ ...embedding, isSearchable: true }, 'zoo')
  expect(detached.isLeft()).toBe(true)
  detached.interruption.abort()
  expect(detached.isLeft()).toBe(false)
})
