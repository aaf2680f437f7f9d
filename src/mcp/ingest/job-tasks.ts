import { stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { CallToolResult } from '@modelcontextprotocol/server'
import { jobRetentionMs, stopJob } from '../../library/jobs/end-job.ts'
import { jobFiles, jobsFolder, readJob, type Job } from '../../library/jobs/job-folder.ts'
import { followJob, openJob } from '../../library/jobs/start-job.ts'
import type { Task, Tasks } from '../tasks.ts'
import { toCallResult, errorText, errorResult } from '../tool-result.ts'
import { parseJobResult, progressOf, renderJobResult } from './job-result.ts'

/**
 * Exposes the jobs of a store as protocol tasks. Jobs outlive this server; another server with the
 * same store can then answer for them. `canSee` returns whether the caller may see a library's
 * jobs.
 */
export function openJobTasks(
  store: () => Promise<string>,
  canSee: (library: string) => boolean = () => true,
): Tasks {
  async function jobOf(taskId: string): Promise<Job | null> {
    const [, id] = /^([0-9a-f]{16})-[0-9a-z]+$/.exec(taskId) ?? []
    const job = id === undefined ? null : await readJob(join(jobsFolder(await store()), id))
    // A later job with the same arguments reuses the folder but is a different task.
    return job !== null && taskIdOf(job) === taskId && canSee(job.library) ? job : null
  }
  return {
    async get(taskId) {
      const job = await jobOf(taskId)
      return job && taskOf(job)
    },
    async cancel(taskId) {
      const job = await jobOf(taskId)
      if (job === null) return null
      await stopJob(job)
      return taskOf((await jobOf(taskId)) ?? job)
    },
  }
}

function taskIdOf({ path, startedAt }: Pick<Job, 'path' | 'startedAt'>): string {
  return `${basename(path)}-${Date.parse(startedAt).toString(36)}`
}

export async function taskOf(job: Job): Promise<Task> {
  const { path, startedAt, progress, state } = job
  const { mtime } = await stat(join(path, jobFiles.log))
  const task = {
    taskId: taskIdOf(job),
    createdAt: startedAt,
    lastUpdatedAt: mtime.toISOString(),
    ttlMs: jobRetentionMs,
    pollIntervalMs: 2_000,
  }
  if (state === 'stopped') return { ...task, status: 'cancelled', statusMessage: state }
  const result = state === 'running' ? null : await resultOf(job)
  const statusMessage = result === null && progress !== null ? progressOf(progress).message : state
  return result === null
    ? { ...task, status: 'working', statusMessage }
    : { ...task, status: 'completed', statusMessage, result }
}

async function resultOf({ path, words }: Job): Promise<CallToolResult | null> {
  const signal = AbortSignal.abort()
  const end = await followJob(openJob(path), { onProgress() {}, signal })
  if (end === null) return null
  try {
    return toCallResult(renderJobResult(parseJobResult(end)), { hasStructure: true })
  } catch (error) {
    return errorResult(errorText(`${words[0]}_library_tool`, error))
  }
}
