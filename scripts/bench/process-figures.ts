import { readFileSync } from 'node:fs'

/**
 * Returns the CPU time of `/proc/PLACE` so far: of a process or, for `PID/task/TID`, of one of its
 * threads. The result is in milliseconds, in steps of ten.
 */
export function processorMs(place: number | string): number {
  const fields = readFileSync(`/proc/${place}/stat`, 'latin1').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10
}

/** Returns the resident memory of a process, without swap, in megabytes. */
export function residentOf(pid: number): number {
  return megabytesOf(pid, 'VmRSS')
}

/**
 * Returns the peak resident memory in megabytes. `resourceUsage` would include the parent's memory
 * at the fork.
 */
export function peakOf(pid: number): number {
  return megabytesOf(pid, 'VmHWM')
}

function megabytesOf(pid: number, key: string): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)![1]) / 1000
}

export type CommandSample = { seconds: number; peakMegabytes: number }

type PrintedSample = CommandSample & { exitCode: number }

type CommandRun = {
  env: NodeJS.ProcessEnv
  cwd: string
  /** `any` accepts every exit code; the default accepts only 0. */
  exit?: 'any'
}

/**
 * Runs a command once, without its output. The peak memory is the highest of the command and the
 * processes that it waited for. A process has at least the peak of the one that started it, so a
 * small process starts the command.
 */
export async function timeCommand(command: string[], run: CommandRun): Promise<CommandSample> {
  const { env, cwd, exit } = run
  const starter = [process.execPath, import.meta.path, ...command]
  const child = Bun.spawn(starter, { env, cwd, stdout: 'pipe', stderr: 'inherit' })
  const printed = await new Response(child.stdout).text()
  const { exitCode, ...sample }: PrintedSample = JSON.parse(printed)
  if (exit !== 'any' && exitCode !== 0) throw new Error(`${command.join(' ')}: exit ${exitCode}`)
  return sample
}

async function printSample(command: string[]): Promise<void> {
  const started = performance.now()
  const child = Bun.spawn(command, { stdout: 'ignore', stderr: 'ignore' })
  const exitCode = await child.exited
  const seconds = (performance.now() - started) / 1000
  const peakMegabytes = child.resourceUsage()!.maxRSS / 1e6
  process.stdout.write(JSON.stringify({ exitCode, seconds, peakMegabytes }))
}

/** Runs a command once as a rehearsal, then `runs` times. */
export async function repeatCommand(runs: number, once: () => Promise<CommandSample>) {
  await once()
  const samples = []
  for (let i = 0; i < runs; i++) samples.push(await once())
  return commandFigures(samples)
}

/** Returns the median, least and greatest time, and the greatest peak memory. */
export function commandFigures(samples: CommandSample[]) {
  const seconds = samples.map((sample) => sample.seconds).sort((a, b) => a - b)
  return {
    runs: samples.length,
    secondsMedian: seconds[Math.floor(seconds.length / 2)]!,
    secondsMin: seconds[0]!,
    secondsMax: seconds.at(-1)!,
    peakMegabytes: Math.max(...samples.map((sample) => sample.peakMegabytes)),
  }
}

if (import.meta.main) await printSample(process.argv.slice(2))
