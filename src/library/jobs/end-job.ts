import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { OgError } from '../../platform/error.ts'
import { writeFileAtomically } from '../../platform/file/files.ts'
import { signalProcess } from '../../platform/subprocess.ts'
import { isRunning, jobFiles, jobsFolder, readJob, type Job } from './job-folder.ts'

/** Stops a job like Ctrl-C does, and keeps its embeddings. Waits until the job has ended. */
export async function stopJob({ path, pid, library }: Job): Promise<void> {
  const latest = performance.now() + stopMs
  if (!isRunning(path)) return
  signalProcess(pid, 'SIGINT')
  while (isRunning(path)) {
    if (performance.now() > latest) {
      throw new OgError(`Cannot stop the job of "${library}": process ${pid} is still running`, {
        hint: `kill -9 ${pid}; published versions are not lost`,
      })
    }
    await Bun.sleep(20)
  }
  // A job that does not yet handle signals ends without writing an outcome.
  if ((await readJob(path))?.state !== 'killed') return
  await writeFileAtomically(join(path, jobFiles.outcome), JSON.stringify({ exitCode: interrupted }))
}

/** The exit code for SIGINT. */
const interrupted = 130

const stopMs = 15_000

/** Deletes the folders of jobs that ended more than a week (or `olderMs`) ago. */
export async function deleteOldJobs(store: string, olderMs = jobRetentionMs): Promise<void> {
  const root = jobsFolder(store)
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name)
    const { mtimeMs } = await stat(path)
    if (Math.max(0, Date.now() - mtimeMs) < olderMs || isRunning(path)) continue
    await rm(path, { recursive: true, force: true })
  }
}

/** How long a job's folder is kept after the job has ended. */
export const jobRetentionMs = 7 * 24 * 3_600_000
