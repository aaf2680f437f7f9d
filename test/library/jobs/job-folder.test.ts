import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  isRunning,
  jobFiles,
  jobsFolder,
  registerJob,
  readJob,
  readJobs,
  readLog,
} from '../../../src/library/jobs/job-folder.ts'
import { noProgress } from '../../../src/library/library.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { openEach } from '../../support/run/dispose.ts'

const temp = openEach(() => createTempFolder('og-jobs'))

function folder(name: string): string {
  const path = join(jobsFolder(temp().path), name)
  mkdirSync(path, { recursive: true })
  return path
}

const record = { library: 'Zoo', version: null, words: ['add', 'Zoo'] }

test('treats a job as running while its process lives, and then reads its exit code', async () => {
  const path = folder('a')
  expect(await readJobs(temp().path)).toEqual([])
  const kept = await registerJob(path, record)
  expect(isRunning(path)).toBe(true)
  const [job] = await readJobs(temp().path)
  expect(job).toMatchObject({ ...record, state: 'running', pid: process.pid, exitCode: null })
  await kept.end(1)
  expect(await readJob(path)).toMatchObject({ state: 'done', exitCode: 1 })
})

test.each([
  [0, 'done'],
  [2, 'failed'],
  [130, 'stopped'],
  [143, 'stopped'],
] as const)('shows exit code %i as %s', async (code, state) => {
  const kept = await registerJob(folder('a'), record)
  await kept.end(code)
  expect((await readJobs(temp().path))[0]).toMatchObject({ state, exitCode: code })
})

test('shows a job without an exit code as killed', async () => {
  const path = folder('a')
  const code = `
    const { registerJob } = await import(${JSON.stringify(
      join(import.meta.dir, '../../../src/library/jobs/job-folder.ts'),
    )})
    await registerJob(${JSON.stringify(path)}, ${JSON.stringify(record)})
    console.log('kept')
    await Bun.sleep(1e9)`
  const child = Bun.spawn([process.execPath, '-e', code], { stdout: 'pipe' })
  await child.stdout.getReader().read()
  expect((await readJob(path))!.state).toBe('running')
  child.kill('SIGKILL')
  await child.exited
  expect(await readJob(path)).toMatchObject({ state: 'killed', exitCode: null })
})

test('reads the last complete line of progress and the other lines of a log', async () => {
  const path = folder('a')
  expect(await readLog(path)).toEqual({ progress: null, notes: [] })
  const line = (pages: number) => JSON.stringify({ ...noProgress, pages })
  const text = `${line(1)}\n[og  1.0 ms] start\nhint: x\n${line(2)}\n${line(3).slice(0, 20)}`
  writeFileSync(join(path, jobFiles.log), text)
  const { progress, notes } = await readLog(path)
  expect(progress!.pages).toBe(2)
  expect(notes).toEqual(['hint: x'])
})

test('ignores a damaged job folder and damaged lines', async () => {
  const path = folder('a')
  const whole = { ...record, pid: 7, startedAt: '2026-01-31T00:00:00.000Z' }
  for (const damage of ['', '[]', '{}', 'null', JSON.stringify({ ...whole, pid: -1 })]) {
    writeFileSync(join(path, jobFiles.record), damage)
    expect(await readJobs(temp().path)).toEqual([])
  }
  writeFileSync(join(path, jobFiles.record), JSON.stringify(whole))
  writeFileSync(join(path, jobFiles.log), '{"phase"\n')
  expect(await readJobs(temp().path)).toMatchObject([{ ...whole, state: 'killed', progress: null }])
})
