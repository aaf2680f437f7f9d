import { expect, test } from 'bun:test'
import { existsSync, mkdirSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { deleteOldJobs, stopJob } from '../../../src/library/jobs/end-job.ts'
import { jobsFolder, registerJob, readJob } from '../../../src/library/jobs/job-folder.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'

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
