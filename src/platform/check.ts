import { fullMessageOf, OgError } from './error.ts'

export type Check = { name: string; ok: boolean; detail: string; hint?: string }

export type CheckResult = Omit<Check, 'name'>

/** Runs a check. An error counts as a failed check, and later checks still run. */
export async function runCheck(
  name: string,
  look: () => CheckResult | Promise<CheckResult>,
): Promise<Check> {
  try {
    return { name, ...(await look()) }
  } catch (error) {
    const hint = error instanceof OgError ? error.hint : undefined
    return {
      name,
      ok: false,
      detail: fullMessageOf(error),
      ...(hint === undefined ? {} : { hint }),
    }
  }
}
