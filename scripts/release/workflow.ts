/**
 * Runs the steps of .github/workflows/ci.yml on this machine: `npm run workflow`. Clones the last
 * commit into a fresh folder, and runs every `run:` there in bash with an empty home folder. The
 * clone replaces the checkout action. Other actions are skipped and listed.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { createTempFolder } from '../../src/platform/file/files.ts'

const root = join(import.meta.dir, '../..')

export type Step = { name?: string; uses?: string; run?: string; env?: Record<string, string> }

/** Returns the steps of a job in a workflow file. @throws Error with a list of the known jobs */
export function stepsOf(text: string, job: string): Step[] {
  const { jobs } = parse(text) as { jobs: Record<string, { steps: Step[] }> }
  if (jobs[job] !== undefined) return jobs[job].steps
  throw new Error(`Cannot run job "${job}": there are ${Object.keys(jobs).join(', ')}`)
}

/** Returns the reason why a step cannot run on this machine, or null. */
export function whyLeftOut({ uses, run, env = {} }: Step): string | null {
  if (run === undefined) return `${uses?.replace(/@.*/, '')} is an action`
  const asked = `${run} ${Object.values(env).join(' ')}`.match(/\$\{\{.*?\}\}/)
  return asked && `${asked[0]} is known to the service alone`
}

/**
 * Runs the steps in a clone of `repository`. Returns the exit code of the first step that fails, or
 * 0.
 */
export async function runSteps(
  repository: string,
  steps: readonly Step[],
  say: (line: string) => void,
): Promise<number> {
  await using temp = await createTempFolder('og-workflow')
  const [clone, home] = [join(temp.path, 'clone'), join(temp.path, 'home')]
  await mkdir(home)
  const git = ['clone', '--quiet', '--no-local', repository, clone]
  if (spawnSync('git', git, { stdio: 'inherit' }).status !== 0) return 1
  for (const step of steps) {
    const name = step.name ?? step.run?.trim() ?? step.uses
    if (step.uses?.startsWith('actions/checkout@')) continue
    const why = whyLeftOut(step)
    if (why !== null) say(`left out: ${name}: ${why}`)
    else {
      say(`step: ${name}`)
      const code = ran(step, { clone, home })
      if (code !== 0) return code
    }
  }
  return 0
}

function ran({ run = '', env }: Step, { clone, home }: { clone: string; home: string }): number {
  // The same command line as on GitHub.
  const { status } = spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run], {
    cwd: clone,
    env: { ...process.env, HOME: home, CI: 'true', ...env },
    stdio: 'inherit',
  })
  return status ?? 1
}

if (import.meta.main) {
  const text = readFileSync(join(root, '.github', 'workflows', 'ci.yml'), 'utf8')
  const say = (line: string) => void process.stderr.write(`${line}\n`)
  process.exitCode = await runSteps(root, stepsOf(text, 'test'), say)
}
