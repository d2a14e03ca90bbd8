"""Operating a canvas application as objects: what is on the canvas, the tools that change it, plans and their repair."""
