import { loadConfig } from '../../config/load.ts'
import { command } from '../command.ts'
import type { Check } from '../context.ts'

export const doctor = command({
  name: 'doctor',
  summary: 'check that everything og needs is there and works',
  details: [
    'Natives, kernels, model, store and disk are checked. The exit code is 1 where a check fails.',
  ],
  positionals: {},
  options: {
    offline: { type: 'switch', doc: 'also prove that nothing needs a network' },
    json: { type: 'switch', doc: 'print a JSON array' },
  },
  examples: ['og doctor', 'og doctor --offline'],
  async run({ env, terminal, openOg }, { offline, json }) {
    await using og = await openOg(await loadConfig(env))
    const { checks } = await og.doctor({ offline })
    await terminal.write(json ? `${JSON.stringify(checks, null, 2)}\n` : renderChecks(checks))
    return checks.every((check) => check.ok) ? 0 : 1
  },
})

export function renderChecks(checks: readonly Check[]): string {
  const width = Math.max(0, ...checks.map((check) => check.name.length))
  return checks
    .map(({ name, ok, detail, hint }) => {
      const line = `${ok ? 'ok  ' : 'FAIL'}  ${name.padEnd(width)}  ${detail}\n`
      return hint ? `${line}${' '.repeat(width + 8)}hint: ${hint}\n` : line
    })
    .join('')
}
