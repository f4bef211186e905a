/** @param keys separated by spaces */
export const Keys = ({ keys }: { keys: string }) => keys.split(' ').map((key) => <kbd key={key}>{key}</kbd>);
