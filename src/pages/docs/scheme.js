// Applies the colour scheme that the reader has chosen; without a choice, that of the system. Not a module, so it runs before the first paint.
{
  const SCHEMES = ['', 'light', 'dark'];
  const NAME = 'colour-scheme';
  const root = document.documentElement;
  /** The browser may block storage. @param {string} [chosen] */
  const kept = (chosen) => {
    try {
      if (chosen !== undefined) localStorage.setItem(NAME, chosen);
      return localStorage.getItem(NAME) ?? '';
    } catch {
      return chosen ?? '';
    }
  };
  /** @param {string} scheme */
  const use = (scheme) => {
    root.dataset['scheme'] = scheme;
    const button = document.getElementById('scheme-button');
    if (button === null) return;
    const name = scheme === '' ? 'automatic' : scheme;
    button.setAttribute('aria-label', `Colours: ${name}`);
    button.title = `Colours: ${name}`;
    for (const place of button.querySelectorAll('.name')) place.textContent = name;
  };
  use(kept());
  addEventListener('DOMContentLoaded', () => {
    use(root.dataset['scheme'] ?? '');
    document.getElementById('scheme-button')?.addEventListener('click', () => {
      const next = SCHEMES[(SCHEMES.indexOf(root.dataset['scheme'] ?? '') + 1) % SCHEMES.length] ?? '';
      kept(next);
      use(next);
    });
  });
}
