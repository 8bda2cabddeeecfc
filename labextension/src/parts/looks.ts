/** How a button stands out: asked for, without a frame, without a word. */
export type Mod = 'accept' | 'plain' | 'icon';

/** The attributes of an icon; `label` where it says something that no word beside it says. */
export function iconLook(
  name: string,
  label?: string
): { class: string; role?: 'img'; 'aria-label'?: string; 'aria-hidden'?: 'true' } {
  const look = `lv-Icon lv-i-${name}`;
  return label
    ? { class: look, role: 'img', 'aria-label': label }
    : { class: look, 'aria-hidden': 'true' };
}

/** The class of a button. */
export function buttonLook(...mods: Mod[]): string {
  return ['lv-Button', ...mods.map(mod => `lv-mod-${mod}`)].join(' ');
}
