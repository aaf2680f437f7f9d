/**
 * Waits until a condition holds, however slow this machine is. The time limit of the test ends the
 * wait, and the error then contains `what`.
 */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const latest = performance.now() + 240_000
  while (!(await isSo())) {
    if (performance.now() > latest) throw new Error(`waited in vain until ${what}`)
    await Bun.sleep(5)
  }
}
