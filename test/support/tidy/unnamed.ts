/** Files that are tested through others alone, and named by no test yet. It only gets shorter. */
export const unnamed: readonly string[] = [
]
