"""How ``auto`` chooses: what the costs depend on, what an algorithm still has to do, and the choice itself."""
