import type { Verdict } from './check.ts'
import { embedded } from './native/embedded.ts'

/** Which program this is and what it runs on: the first lines of any report of a fault. */
export function checkExecutable(version: string): Verdict {
  const libc = process.platform === 'linux' ? glibcVersion() : null
  const place = embedded === null ? 'run from source' : process.execPath
  const target = `${process.platform}-${process.arch}`
  const parts = [`og ${version}`, place, `Bun ${Bun.version}`, target]
  if (process.platform !== 'linux') return { ok: true, detail: parts.join(', ') }
  if (libc !== null) return { ok: true, detail: [...parts, `glibc ${libc}`].join(', ') }
  return {
    ok: false,
    detail: [...parts, 'no glibc'].join(', '),
    hint: 'LanceDB and ONNX Runtime need glibc: use a distribution that has it, not one with musl',
  }
}

function glibcVersion(): string | null {
  const report = process.report.getReport() as { header?: { glibcVersionRuntime?: string } }
  return report.header?.glibcVersionRuntime ?? null
}
