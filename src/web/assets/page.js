/** What a browser adds to pages that work without it. */
document.documentElement.classList.add('script')
