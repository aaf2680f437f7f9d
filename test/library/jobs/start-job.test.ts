import { expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  stopJob,
  followJob,
  startJob,
  type JobRequest,
  deleteOldJobs,
} from '../../../src/library/jobs/start-job.ts'
import { readJobs, jobsFolder, registerJob, readJob } from '../../../src/library/jobs/job-folder.ts'
import type { AddProgress } from '../../../src/library/library.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { until } from '../../support/until.ts'
import { openEach } from '../../support/run/dispose.ts'
import { existsSync, mkdirSync, utimesSync } from 'node:fs'

const temp = openEach(() => createTempFolder('og-start-job'))

const self = [process.execPath, join(import.meta.dir, '../../..', 'src', 'main.ts')]

function wish(words: string[], more: Partial<JobRequest> = {}): JobRequest {
  const env = { PATH: process.env.PATH, HOME: temp().path, OG_DB_PATH: temp().path }
  return { library: 'zoo', version: null, words, self, env, cwd: temp().path, ...more }
}

const noSignal = () => new AbortController().signal
const follow = (job: Awaited<ReturnType<typeof startJob>>) =>
  followJob(job, { onProgress: () => {}, signal: noSignal() })

test('returns the exit code and the output of a job', async () => {
  const listed = await follow(await startJob(temp().path, wish(['list', '--json'])))
  expect(listed).toMatchObject({ exitCode: 0, stdout: '[]\n' })
  const failed = await follow(await startJob(temp().path, wish(['get', 'nothing', '-l', '-x'])))
  expect(failed!.exitCode).toBe(2)
  expect(failed!.notes[0]).toStartWith('error: ')
  expect((await readJobs(temp().path)).map(({ state }) => state)).toEqual(['failed', 'done'])
})

test('returns the exit code and the errors of a failed program', async () => {
  const broken = wish(['add'], { self: ['sh', '-c', 'echo "error: no" >&2; exit 3'] })
  expect(await follow(await startJob(temp().path, broken))).toEqual({
    exitCode: 3,
    stdout: '',
    notes: ['error: no'],
  })
})

test('reports a job that a signal ended before it registered', async () => {
  const killed = wish(['add'], { self: ['sh', '-c', 'kill -9 $$'] })
  expect(await follow(await startJob(temp().path, killed))).toEqual({
    exitCode: null,
    stdout: '',
    notes: [],
  })
})

test('returns the same job for the same command, but not for an agent or in another folder', async () => {
  const words = ['watch']
  const [first, second] = await Promise.all([
    startJob(temp().path, wish(words)),
    startJob(temp().path, wish(words)),
  ])
  expect(second!.path).toBe(first!.path)
  const other = await startJob(temp().path, wish(words, { cwd: '/' }))
  expect(other.path).not.toBe(first!.path)
  const env = { ...wish([]).env, OG_REACH: '{"hosts":[],"folder":null}' }
  expect((await startJob(temp().path, wish(words, { env }))).path).not.toBe(first!.path)
  for (const job of await readJobs(temp().path)) await stopJob(job)
  await until('all have ended', async () =>
    (await readJobs(temp().path)).every(({ state }) => state !== 'running'),
  )
})

test('stops following a job at an abort, or when the job has made enough progress', async () => {
  const told: AddProgress[] = []
  const job = { path: temp().path, exitCode: () => null }
  const line = { phase: 'embedding', pages: 3, isSearchable: true }
  await Bun.write(join(temp().path, 'log'), `${JSON.stringify(line)}\n`)
  const isEnough = ({ isSearchable }: AddProgress) => isSearchable
  const onProgress = (progress: AddProgress) => void told.push(progress)
  expect(await followJob(job, { onProgress, isEnough, signal: noSignal() })).toBeNull()
  expect(told).toMatchObject([line])
  expect(await followJob(job, { onProgress, signal: AbortSignal.abort() })).toBeNull()
})

const record = { library: 'Zoo', version: null, words: ['add', 'Zoo'] }

test('deletes jobs that ended a week ago, and keeps running ones', async () => {
  await using temp = await createTempFolder('og-jobs')
  const folder = (name: string) => {
    const path = join(jobsFolder(temp.path), name)
    mkdirSync(path, { recursive: true })
    return path
  }
  const [old, running, fresh] = ['old', 'running', 'fresh'].map(folder)
  await (await registerJob(old!, record)).end(0)
  const kept = await registerJob(running!, record)
  await (await registerJob(fresh!, record)).end(0)
  const week = Date.now() / 1000 - 8 * 24 * 3600
  for (const path of [old!, running!]) utimesSync(path, week, week)
  await deleteOldJobs(temp.path)
  expect([old, running, fresh].map((path) => existsSync(path!))).toEqual([false, true, true])
  await kept.end(0)
  // Stopping a finished job does nothing.
  await stopJob((await readJob(running!))!)
  await deleteOldJobs(temp.path, 0)
  expect([running, fresh].map((path) => existsSync(path!))).toEqual([false, false])
})
