/**
 * Waits for what will be, however long this machine takes for it; the test's own time limit ends a
 * wait in vain, and `what` is then in its error.
 */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const latest = performance.now() + 240_000
  while (!(await isSo())) {
    if (performance.now() > latest) throw new Error(`waited in vain until ${what}`)
    await Bun.sleep(5)
  }
}
