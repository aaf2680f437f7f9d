import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { waitForJob } from '../../../../src/cli/commands/library/jobs.ts'
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
    stdout: 'zoo 2: can be asked now; its embeddings follow\n',
    stderr: 'zoo: docs in /docs\nhint: og jobs zoo --follow shows how far they are\n',
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
