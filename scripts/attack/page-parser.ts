/**
 * Parses pages for pages.ts in a process that may be killed: one JSON line in, one JSON line out.
 */
import { createInterface } from 'node:readline'
import { parsePage } from '../../src/page/parse.ts'
import { OgError } from '../../src/platform/error.ts'

for await (const line of createInterface({ input: process.stdin })) {
  const { path, text } = JSON.parse(line) as { path: string; text: string }
  const file = { bytes: Buffer.from(text), path, url: `https://attack.example/${path}` }
  const fault = await parsePage(file).then(
    () => null,
    (error: unknown) =>
      error instanceof OgError ? null : String((error as Error)?.stack ?? error),
  )
  const sizeMb = process.memoryUsage().rss / 2 ** 20
  process.stdout.write(`${JSON.stringify({ fault, sizeMb })}\n`)
}
