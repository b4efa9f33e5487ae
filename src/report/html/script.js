'use strict';
// Comfort only: everything on the page can be read, linked to and printed without this.
(() => {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  const all = (what, within) => Array.from((within || document).querySelectorAll(what));
  all('.js-only').forEach((one) => { one.hidden = false; });

  // Dark or light: as the system says until it is chosen.
  const stored = (value) => {
    try {
      if (value === undefined) return localStorage.getItem('muster-theme');
      localStorage.setItem('muster-theme', value);
    } catch (refused) { /* A browser may keep nothing for a local file. */ }
    return null;
  };
  const dark = () => root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  const before = stored();
  if (before === 'dark' || before === 'light') root.dataset.theme = before;
  const turn = () => { root.dataset.theme = dark() ? 'light' : 'dark'; stored(root.dataset.theme); };
  byId('theme').addEventListener('click', turn);

  // Filter.
  const form = byId('filter');
  const text = byId('filter-text');
  const groups = all('details.group').map((one) => ({
    one, verdict: one.dataset.verdict, topic: one.dataset.topic,
    head: one.querySelector('summary').textContent.toLowerCase() + ' ' + one.querySelector('dl').textContent.toLowerCase(),
    rows: all('tbody tr', one).map((row) => ({ row, node: row.dataset.node, text: row.textContent.toLowerCase() })),
  }));
  const quiet = all('table.quiet tr[data-topic]').map((row) => ({ row, text: row.textContent.toLowerCase() }));
  const value = (id) => { const one = byId(id); return one ? one.value : ''; };
  const filter = () => {
    const words = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    const verdict = value('filter-verdict');
    const topic = value('filter-topic');
    const node = value('filter-node');
    let shownGroups = 0;
    let shownRows = 0;
    for (const group of groups) {
      let rows = 0;
      const fits = (!verdict || group.verdict === verdict) && (!topic || group.topic === topic);
      // Words that the whole group has need not be in each row.
      const rest = words.filter((word) => !group.head.includes(word));
      for (const one of group.rows) {
        const show = fits && (!node || one.node === node || one.node === '') && rest.every((word) => one.text.includes(word));
        one.row.hidden = !show;
        if (show) rows += 1;
      }
      group.one.hidden = rows === 0;
      if (rows > 0) { shownGroups += 1; shownRows += rows; }
    }
    for (const one of quiet) {
      one.row.hidden = Boolean((topic && one.row.dataset.topic !== topic) || (node && one.row.dataset.node && one.row.dataset.node !== node)
        || !words.every((word) => one.text.includes(word)));
    }
    for (const section of all('section.kind')) {
      section.hidden = all('details.group', section).every((one) => one.hidden);
    }
    const active = words.length > 0 || verdict || topic || node;
    byId('filter-count').textContent = active ? shownRows + ' findings of ' + shownGroups + ' checks shown' : '';
  };
  const clear = () => { form.reset(); filter(); };
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(filter));
  const openAll = () => {
    const seen = groups.filter((group) => !group.one.hidden);
    const open = seen.some((group) => !group.one.open);
    seen.forEach((group) => { group.one.open = open; });
  };
  byId('open-all').addEventListener('click', openAll);

  // Links into the page open what they lead to.
  const follow = () => {
    let name;
    try { name = decodeURIComponent(location.hash.slice(1)); } catch (malformed) { return; }
    const target = name && byId(name);
    if (!target) return;
    if (target.closest('[hidden]')) clear();
    for (let one = target; one; one = one.parentElement) {
      if (one.tagName === 'DETAILS') one.open = true;
    }
    all('.target').forEach((one) => one.classList.remove('target'));
    target.classList.add('target');
    target.scrollIntoView({ block: 'start' });
    const summary = target.tagName === 'DETAILS' && target.querySelector('summary');
    if (summary) summary.focus({ preventScroll: true });
  };
  addEventListener('hashchange', follow);
  // A link to where one already is changes no address.
  document.addEventListener('click', (event) => {
    const link = event.target.closest && event.target.closest('a[href^="#"]');
    if (link && link.getAttribute('href') === location.hash) follow();
  });
  follow();

  // Keys.
  const step = (by) => {
    const seen = groups.filter((group) => !group.one.hidden).map((group) => group.one.querySelector('summary'));
    if (seen.length === 0) return;
    const here = document.activeElement && document.activeElement.closest('details.group');
    const at = here ? seen.indexOf(here.querySelector('summary')) : -1;
    const next = at < 0 ? (by > 0 ? 0 : seen.length - 1) : Math.min(seen.length - 1, Math.max(0, at + by));
    seen[next].focus();
    seen[next].scrollIntoView({ block: 'nearest' });
  };
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === 'Escape') { clear(); if (typing) event.target.blur(); return; }
    if (typing) {
      if (event.key === 'Enter' && event.target === text) { step(1); event.preventDefault(); }
      return;
    }
    const act = { '/': () => { text.focus(); text.select(); }, j: () => step(1), k: () => step(-1), o: openAll, t: turn }[event.key];
    if (act) { act(); event.preventDefault(); }
  });

  // Paper has nothing to click on.
  let closed = [];
  addEventListener('beforeprint', () => {
    closed = all('details:not([open])');
    closed.forEach((one) => { one.open = true; });
  });
  addEventListener('afterprint', () => { closed.forEach((one) => { one.open = false; }); closed = []; });
})();
