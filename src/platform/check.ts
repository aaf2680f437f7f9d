import { messageOf, OgError } from './error.ts'

/** What a look at one thing found. A hint says what to do; it may stand beside `ok` too. */
export type Check = { name: string; ok: boolean; detail: string; hint?: string }

export type Verdict = Omit<Check, 'name'>

/** Looks, and takes an error for a verdict, so that no check keeps later ones from running. */
export async function runCheck(
  name: string,
  look: () => Verdict | Promise<Verdict>,
): Promise<Check> {
  try {
    return { name, ...(await look()) }
  } catch (error) {
    const hint = error instanceof OgError ? error.hint : undefined
    return { name, ok: false, detail: messageOf(error), ...(hint === undefined ? {} : { hint }) }
  }
}
