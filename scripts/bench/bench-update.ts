/**
 * Times `og update` of the English FastAPI documentation in a local git repository: first without
 * any change, then with a change in one of its 144 pages.
 */
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join } from 'node:path'

type Places = { og: string; bundle: string; work: string; runs: number }

export async function benchUpdate({ og, bundle, work, runs }: Places) {
  rmSync(work, { recursive: true, force: true })
  const [home, repository] = [join(work, 'home'), join(work, 'repository')]
  mkdirSync(home, { recursive: true })
  git(work, 'clone', '--quiet', '--branch', '0.115.0', '--', bundle, repository)
  git(repository, 'switch', '--quiet', '--create', 'bench')
  git(repository, 'config', 'uploadpack.allowFilter', 'true')
  const run = (...args: string[]) => timed([og, ...args], home)
  process.stderr.write('index\n')
  const index = await run('add', 'fastapi', '-s', `file://${repository}`, '-d', 'docs/en/docs')
  const [unchanged, onePage] = [[], []] as Awaited<ReturnType<typeof timed>>[][]
  for (let i = 0; i < runs; i++) {
    unchanged!.push(await run('update', 'fastapi'))
    const text = `\n## Lately\n\nWhat changed the ${i + 1}. time: the body of a request.\n`
    appendFileSync(join(repository, 'docs/en/docs/tutorial/body.md'), text)
    git(repository, '-c', 'user.name=b', '-c', 'user.email=b@b.example', 'commit', '-qam', `${i}`)
    onePage!.push(await run('update', 'fastapi'))
  }
  const load = loadavg()[0]
  return { load, index, unchanged: median(unchanged!), onePage: median(onePage!) }
}

function git(cwd: string, ...args: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(['git', ...args], { cwd, stderr: 'pipe' })
  if (exitCode !== 0) throw new Error(`git ${args[0]}: ${stderr}`)
}

async function timed(command: string[], home: string) {
  const started = performance.now()
  const env = { PATH: process.env.PATH, HOME: home }
  const child = Bun.spawn(command, { env, stdout: 'ignore', stderr: 'ignore', cwd: home })
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${child.exitCode}`)
  const used = child.resourceUsage()!
  return {
    seconds: (performance.now() - started) / 1000,
    cpuSeconds: Number(used.cpuTime.total) / 1e6,
    peakMegabytes: used.maxRSS / 1e6,
  }
}

function median<T extends { seconds: number }>(samples: T[]): T {
  return samples.toSorted((a, b) => a.seconds - b.seconds)[Math.floor(samples.length / 2)]!
}
